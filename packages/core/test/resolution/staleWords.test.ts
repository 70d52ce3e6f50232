import { beginCustody } from "@bursar/core/custody/beginCustody"
import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { of } from "@bursar/core/money/Amount"
import { putRecord, readRecord } from "@bursar/core/engine/Records"
import { contradictedBy } from "@bursar/core/operation/contradictions"
import { Operation } from "@bursar/core/operation/Operation"
import type { ConversionState, WithdrawalState } from "@bursar/core/port/Custodian"
import { done, type ProviderResult, refused, unknown } from "@bursar/core/port/ProviderResult"
import type { Statement } from "@bursar/core/resolution/Resolution"
import { closeContradiction } from "@bursar/core/resolution/closeContradiction"
import { approveResolution, proposeResolution, rejectResolution } from "@bursar/core/resolution/resolutionCommands"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { recordWithdrawal } from "@bursar/core/withdrawal/recordWithdrawal"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Result } from "effect"
import { sentWithdrawal, stored } from "./world.ts"
import { bought, says, sent } from "../swap/world.ts"
import { store, submit, verified, withdraw, withdrawer, wrong } from "../withdrawal/world.ts"

const stated = (outcome: "FAILED" | "SETTLED", more: Partial<Statement> = {}): Statement => ({
  outcome,
  basis: "PROVIDER",
  reference: "ticket 7",
  source: "support",
  text: "They say so.",
  providerReference: "w-1",
  txHash: null,
  received: null,
  networkFee: null,
  ...more
})

/** What two operators decide of an operation, and what its custodian says meanwhile. */
const decided = Effect.fnUntraced(function* <E, R>(
  id: TenantId,
  operation: Operation,
  statement: Statement,
  meanwhile: Effect.Effect<unknown, E, R>
) {
  const proposed = { operation: yield* stored(id, operation), statement, by: "anna", currencies }
  const resolution = yield* submit(id, proposeResolution(proposed))
  yield* meanwhile
  const approved = { resolution, operation: yield* stored(id, operation), by: "ben", currencies, proof: null }
  const approve = submit(id, approveResolution(approved))
  const refusedWith = yield* Effect.match(approve, {
    onFailure: (error) => (error._tag === "Refusal" ? `${error.code}: ${error.message}` : error._tag),
    onSuccess: () => null
  })
  if (refusedWith !== null) yield* submit(id, rejectResolution(operation.id, resolution.id, "ben", "stale"))
  return refusedWith
})

const statusOf = (id: TenantId, operation: Operation) => Effect.map(stored(id, operation), ({ status }) => status)

describe("what two operators decide of an order", () => {
  it.effect(
    "is refused where the custodian of a withdrawal has said something else in between, and not where it was silent",
    () =>
      Effect.gen(function* () {
        const id = yield* withdrawer()
        yield* verified(id, "0x00000000000000000000000000000000000000A1")
        const made = yield* withdraw(id, 5_000_000n)
        if (typeof made === "string") return assert.fail(made)
        const begun = yield* submit(id, beginCustody(made, { name: "fake", environment: "LIVE" }))
        if (begun._tag !== "Send") return assert.fail(begun._tag)
        const { operation } = begun
        const hear = (answer: ProviderResult<WithdrawalState>) =>
          submit(id, recordWithdrawal({ operation, answer, networkFeeBorneBy: "RECEIVER", currencies }))
        const pending = (txHash: string | null) => done({ _tag: "Pending", providerReference: "w-1", txHash } as const)
        yield* hear(unknown("no answer"))
        assert.match(
          (yield* decided(id, operation, stated("FAILED"), hear(pending(null)))) ?? "",
          /^state_conflict: .*stale/u
        )
        // on its way, with a transaction now: what was taken for lost has left
        assert.match((yield* decided(id, operation, stated("FAILED"), hear(pending("0x1")))) ?? "", /stale/u)
        assert.match((yield* decided(id, operation, stated("FAILED"), hear(refused("who are you")))) ?? "", /stale/u)
        assert.strictEqual(yield* statusOf(id, operation), "SENT")
        // no answer again and again, and the same in other words, are no news
        const silence = Effect.andThen(
          hear(unknown("503")),
          Effect.andThen(hear(refused("what order")), hear(unknown("no answer")))
        )
        assert.isNull(yield* decided(id, operation, stated("FAILED"), silence))
        assert.strictEqual(yield* statusOf(id, operation), "FAILED")
        assert.deepStrictEqual(yield* wrong(id), [])
      }).pipe(Effect.provide(store))
  )

  it.effect("is refused where the custodian of a swap has reported another amount in between", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const operation = yield* sent(id, 10_000n, false)
      const settled = (received: bigint) =>
        done<ConversionState>({ _tag: "Settled", providerReference: "c-1", received: of(received, bought) })
      yield* says(id, operation, settled(0n))
      const word = stated("SETTLED", { providerReference: "c-1", received: of(10_000n, bought) })
      assert.match((yield* decided(id, operation, word, says(id, operation, settled(-1n)))) ?? "", /stale/u)
      assert.isNull(yield* decided(id, operation, word, says(id, operation, settled(-1n))))
      assert.strictEqual(yield* statusOf(id, operation), "SETTLED")
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  /** Something is noted against an operation by a process whose clock says so. */
  const noted = (id: TenantId, { id: operationId }: Operation, said: string, at: number) =>
    submit(id, {
      name: "Note",
      reads: [readRecord(Operation, operationId)],
      decide: (view) => {
        const now = view.get(Operation, operationId)
        const after = now && contradictedBy(now, { said, moved: true }, at, "w-0")
        return Result.succeed({ changes: after === undefined ? [] : [putRecord(Operation, after)], reply: null })
      }
    })

  it.effect("is refused where anything was noted in between, whatever its clock, also where it was closed since", () =>
    Effect.gen(function* () {
      const { operation, tenant } = yield* sentWithdrawal
      const note = (said: string, at: number) => noted(tenant, operation, said, at)
      const close = Effect.flatMap(stored(tenant, operation), (read) =>
        submit(tenant, closeContradiction({ operation: read, by: "carol", reason: "ticket 7" }))
      )
      const word = stated("FAILED")
      const now = yield* Clock.currentTimeMillis
      assert.match((yield* decided(tenant, operation, word, note("behind", now - 5_000))) ?? "", /"behind" since/u)
      assert.match((yield* decided(tenant, operation, word, note("at once", now))) ?? "", /"at once" since/u)
      const closed = Effect.andThen(note("closed", now), close)
      assert.match((yield* decided(tenant, operation, word, closed)) ?? "", /"closed" since/u)
      // what was known is no news: neither as it stands, nor as it is closed
      yield* note("known", now + 5_000)
      assert.isNull(yield* decided(tenant, operation, word, close))
      assert.strictEqual(yield* statusOf(tenant, operation), "FAILED")
    }).pipe(Effect.provide(store))
  )
})
