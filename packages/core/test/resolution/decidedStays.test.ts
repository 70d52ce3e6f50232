import { of } from "@bursar/core/money/Amount"
import { contradictionsOf } from "@bursar/core/operation/contradictions"
import type { Operation } from "@bursar/core/operation/Operation"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { rejectResolution } from "@bursar/core/resolution/resolutionCommands"
import { beginTransfer } from "@bursar/core/transfer/beginTransfer"
import type { PayerSeen } from "@bursar/core/transfer/refund"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { approval, resolved } from "./world.ts"
import {
  accept,
  baseRequest,
  hear,
  paidIn,
  payer,
  propose,
  referenceOf,
  says,
  sender,
  settledWith,
  store,
  submit,
  wrong
} from "../transfer/world.ts"

const refundOf = (id: string, units: bigint) =>
  baseRequest({ kind: "REFUND", amount: of(units, "EUR"), payee: null, refund: { refundOf: id, name: "Somebody" } })

/** What is seen of an ON_RAMP where its provider says that some of it went back, and not how much. */
const silentOf = ({ id }: Operation): PayerSeen => ({
  _tag: "Told",
  source: id,
  providerReference: referenceOf({ id }),
  status: "RETURNED",
  sender,
  received: null,
  returned: null
})

const begin = (tenant: TenantId, refund: Operation, seen: PayerSeen) =>
  submit(tenant, beginTransfer(refund, { name: "fake", environment: "LIVE" }, { payer: [seen] }))

describe("a refund of an ON_RAMP of which operators have stated how much went back", () => {
  for (const part of [null, 3_000n] as const)
    for (const again of [false, true])
      it.effect(
        `is sent ${part === null ? "" : "after a part that its provider had told, "}${again ? "also where that says again that some did" : "once they have"}`,
        () =>
          Effect.gen(function* () {
            const tenant = yield* payer()
            const source = yield* paidIn(tenant)
            if (part !== null) yield* hear(tenant, source, says("RETURNED", { returned: of(part, "EUR") }))
            const silent = says("RETURNED", { returned: null, sender })
            const open = yield* hear(tenant, source, silent)
            assert.isTrue(open.unresolved)
            const stated = yield* resolved(tenant, open, { ...settledWith(3_000n, "EUR"), outcome: "RETURNED" })
            const after = again ? yield* hear(tenant, stated, silent) : stated
            const refund = yield* accept(tenant, refundOf(source.id, 7_000n))
            const task = yield* begin(tenant, refund, silentOf(source))
            assert.deepStrictEqual([after.unresolved, task._tag], [false, "Send"])
          }).pipe(Effect.provide(store))
      )

  for (const heard of [false, true])
    it.effect(
      `waits where its provider says only since that some did${heard ? ", and operators have not decided on that" : ""}`,
      () =>
        Effect.gen(function* () {
          const tenant = yield* payer()
          const source = yield* paidIn(tenant)
          // the bank's letter says 30.00; its interface still says SETTLED
          const stated = yield* resolved(tenant, source, { ...settledWith(3_000n, "EUR"), outcome: "RETURNED" })
          const refund = yield* accept(tenant, refundOf(source.id, 7_000n))
          // the payer's bank has taken the rest, and the refund asks before the transfer's own look does
          const silent = says("RETURNED", { returned: null, sender })
          if (heard) assert.isTrue((yield* hear(tenant, stated, silent)).unresolved)
          assert.strictEqual((yield* begin(tenant, refund, silentOf(source)))._tag, "Wait")
          if (heard) return
          assert.isTrue((yield* hear(tenant, stated, silent)).unresolved)
          yield* resolved(tenant, stated, { ...settledWith(10_000n, "EUR"), outcome: "RETURNED" })
          assert.strictEqual((yield* begin(tenant, refund, silentOf(source)))._tag, "Wait")
          assert.deepStrictEqual(yield* wrong(tenant), [])
        }).pipe(Effect.provide(store))
    )

  it.effect("is looked at again once the provider has said something else before it says so anew", () =>
    Effect.gen(function* () {
      const tenant = yield* payer()
      const silent = says("RETURNED", { returned: null, sender })
      const open = yield* hear(tenant, yield* paidIn(tenant), silent)
      const stated = yield* resolved(tenant, open, { ...settledWith(3_000n, "EUR"), outcome: "RETURNED" })
      const since = yield* hear(tenant, stated, says("SETTLED"))
      assert.isFalse(since.unresolved)
      assert.isTrue((yield* hear(tenant, since, silent)).unresolved)
    }).pipe(Effect.provide(store))
  )
})

describe("what operators have decided of a transfer that had settled", () => {
  const [whole, part] = [settledWith(10_000n, "EUR"), { ...settledWith(3_000n, "EUR"), outcome: "RETURNED" as const }]
  for (const [what, before, word, statement] of [
    ["it failed", [], says("FAILED"), whole],
    ["nobody knows", [], says("UNRESOLVED"), whole],
    ["more came back than there was", [], says("RETURNED", { returned: of(10_001n, "EUR") }), part],
    [
      "less came back than before",
      [says("RETURNED", { returned: of(3_000n, "EUR") })],
      says("RETURNED", { returned: of(2_000n, "EUR") }),
      part
    ]
  ] as const)
    it.effect(`stays where its provider says once more that ${what}`, () =>
      Effect.gen(function* () {
        const tenant = yield* payer()
        let operation = yield* paidIn(tenant)
        for (const answer of [...before, word]) operation = yield* hear(tenant, operation, answer)
        assert.isTrue(operation.unresolved)
        const decided = yield* resolved(tenant, operation, statement)
        assert.isFalse((yield* hear(tenant, decided, word)).unresolved)
      }).pipe(Effect.provide(store))
    )
})

describe("what operators have decided of a settled transfer, under another id of it", () => {
  const part = { ...settledWith(3_000n, "EUR"), outcome: "RETURNED" } as const

  it.effect("stays where its provider says once more, by its own id, what it had said when they did", () =>
    Effect.gen(function* () {
      const tenant = yield* payer()
      const silent = says("RETURNED", { returned: null, sender })
      const open = yield* hear(tenant, yield* paidIn(tenant), silent)
      const decided = yield* resolved(tenant, open, { ...part, providerReference: "t-2" })
      const after = yield* hear(tenant, decided, silent)
      assert.deepStrictEqual([after.unresolved, contradictionsOf(after)], [false, []])
      // anything else is noted
      const more = yield* hear(tenant, after, says("RETURNED", { returned: of(4_000n, "EUR") }))
      assert.deepStrictEqual([more.unresolved, contradictionsOf(more).length], [false, 1])
    }).pipe(Effect.provide(store))
  )

  /** Operators have stated the id t-2, by which its provider says then that some came back, and not how much. */
  const opened = Effect.gen(function* () {
    const tenant = yield* payer()
    const first = yield* hear(tenant, yield* paidIn(tenant), says("FAILED"))
    const decided = yield* resolved(tenant, first, { ...settledWith(10_000n, "EUR"), providerReference: "t-2" })
    const silent = says("RETURNED", { returned: null, sender, providerReference: "t-2" })
    const open = yield* hear(tenant, decided, silent)
    assert.isTrue(open.unresolved)
    return { tenant, open, silent }
  })

  it.effect("stays where its provider says the same again once it has answered by its own id alone", () =>
    Effect.gen(function* () {
      const { open, silent, tenant } = yield* opened
      const decided = yield* resolved(tenant, open, part)
      assert.isFalse((yield* hear(tenant, decided, silent)).unresolved)
      // for a while it knows nothing by the other
      const between = yield* hear(tenant, decided, says("FAILED"))
      assert.isFalse((yield* hear(tenant, between, silent)).unresolved)
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "is not decided before they have heard what its provider has said by its own id since it was proposed",
    () =>
      Effect.gen(function* () {
        const { open, tenant } = yield* opened
        const proposal = yield* propose(tenant, open, part)
        yield* TestClock.adjust("1 minute")
        yield* hear(tenant, open, says("RETURNED", { returned: of(10_000n, "EUR") }))
        const refused = yield* Effect.flip(submit(tenant, approval(open, proposal)))
        assert.include(refused.message, "stale")
        yield* submit(tenant, rejectResolution(open.id, proposal.id, "ben", "stale"))
        assert.isFalse((yield* resolved(tenant, open, part)).unresolved)
      }).pipe(Effect.provide(store))
  )
})
