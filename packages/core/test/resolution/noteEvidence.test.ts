import type { Operation } from "@bursar/core/operation/Operation"
import { givenBefore } from "@bursar/core/payout/givenBefore"
import { isSetAside, PayoutEvidence } from "@bursar/core/payout/PayoutEvidence"
import type { Proof } from "@bursar/core/port/ChainSender"
import { noteEvidence } from "@bursar/core/resolution/noteEvidence"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { accepted, payer, reserved, signed } from "../payout/world.ts"
import { refusalOf, store, submit } from "../transfer/world.ts"
import { resolved, sendOut, sentWithdrawal, stated, transferSent } from "./world.ts"
import { verified, withdraw } from "../withdrawal/world.ts"

const proven: Proof = { verdict: "PROVEN", detail: "it paid", fee: 5n }

const about = (operation: Operation, hash: string | null, proof: Proof = proven) =>
  noteEvidence({ operation, note: "seen", by: "anna", transaction: hash === null ? null : { hash, proof } })

const noted = (tenant: TenantId, { id }: Operation) =>
  Effect.flatMap(Queries, (queries) => queries.records(tenant, PayoutEvidence, id))

describe("what an operator knows of an order", () => {
  it.effect("is kept with what the chain says of the transaction that it names, or alone", () =>
    Effect.gen(function* () {
      const { operation, tenant } = yield* sentWithdrawal
      const now = yield* Clock.currentTimeMillis
      const common = {
        operationId: operation.id,
        network: "base",
        sharedCount: 0,
        costBorneBy: null,
        note: "seen",
        givenBy: "anna",
        givenAt: now,
        fee: null
      }
      for (const [hash, proof, facts] of [
        ["0x1", proven, { verdict: "PROVEN", found: "it paid", checkedAt: now }],
        [
          "0x2",
          { verdict: "NOT_PROVEN", reason: "it is not there" },
          { verdict: "NOT_PROVEN", found: "it is not there", checkedAt: now }
        ],
        [
          "0x3",
          { ...proven, innerHash: "0x4" },
          {
            verdict: "NOT_PROVEN",
            found: "That transaction only bids for the one that was signed: give the hash of that one, 0x4.",
            checkedAt: now
          }
        ],
        [null, proven, { verdict: null, found: null, checkedAt: null }]
      ] as const) {
        const evidence = yield* submit(tenant, about(operation, hash, proof))
        const { key } = evidence
        assert.deepStrictEqual(evidence, { ...common, ...facts, key, txHash: hash })
        assert.deepInclude(yield* noted(tenant, operation), evidence)
      }
      yield* submit(tenant, about(operation, null))
      assert.lengthOf(yield* noted(tenant, operation), 5, "notes are many")
    }).pipe(Effect.provide(store))
  )

  it.effect("is checked again where its transaction is named again, until the chain has proven it", () =>
    Effect.gen(function* () {
      const { operation, tenant } = yield* sentWithdrawal
      const first = yield* submit(tenant, about(operation, "0x1", { verdict: "UNREADABLE", reason: "no answer" }))
      yield* TestClock.adjust(1_000)
      const later = first.givenAt + 1_000
      const again = yield* submit(tenant, about(operation, "0x1"))
      assert.deepStrictEqual(again, { ...first, verdict: "PROVEN", found: "it paid", checkedAt: later })
      assert.deepStrictEqual(yield* noted(tenant, operation), [again])
      yield* TestClock.adjust(1_000)
      const denied = about(operation, "0x1", { verdict: "NOT_PROVEN", reason: "gone" })
      assert.deepStrictEqual(yield* submit(tenant, denied), again)
    }).pipe(Effect.provide(store))
  )

  it.effect("is not a transaction that speaks of something else, or of what is on no network", () =>
    Effect.gen(function* () {
      const { operation, tenant } = yield* sentWithdrawal
      yield* submit(tenant, about(operation, "0x1"))
      yield* verified(tenant, "0x00000000000000000000000000000000000000A2")
      const other = yield* withdraw(tenant, 1_000_000n)
      if (typeof other === "string") return assert.fail(other)
      assert.strictEqual(yield* refusalOf(tenant, about(yield* sendOut(tenant, other), "0x1")), "state_conflict")
      const fiat = yield* transferSent
      assert.strictEqual(yield* refusalOf(fiat.tenant, about(fiat.operation, "0x1")), "state_conflict")
      assert.isNull(yield* refusalOf(fiat.tenant, about(fiat.operation, null)))
      const { id, wallet } = yield* payer()
      const payout = yield* accepted(id)
      yield* signed(id, yield* reserved(id, wallet, [payout]), "0xours")
      assert.strictEqual(yield* refusalOf(id, about(payout, "0xours")), "state_conflict")
      assert.strictEqual(yield* refusalOf(id, about(operation, "0x9")), "not_found")
      return undefined
    }).pipe(Effect.provide(store))
  )

  it.effect("is a transaction that was given for another one, which the chain denies or which is over by another", () =>
    Effect.gen(function* () {
      const { operation, tenant } = yield* sentWithdrawal
      yield* verified(tenant, "0x00000000000000000000000000000000000000A2")
      const other = yield* withdraw(tenant, 1_000_000n)
      if (typeof other === "string") return assert.fail(other)
      yield* sendOut(tenant, other)
      const denied: Proof = { verdict: "NOT_PROVEN", reason: "not so" }
      const unreadable: Proof = { verdict: "UNREADABLE", reason: "no answer" }
      const tell = Effect.fnUntraced(function* (about: Operation, hash: string, proof: Proof) {
        const before = yield* givenBefore(yield* Queries, tenant, { network: "base", txHash: hash })
        const transaction = { hash, proof }
        return yield* submit(tenant, noteEvidence({ operation: about, note: "seen", by: "anna", transaction, before }))
      })
      yield* tell(operation, "0x1", denied)
      yield* tell(operation, "0x2", unreadable)
      assert.strictEqual((yield* tell(other, "0x1", proven)).operationId, other.id)
      assert.strictEqual((yield* Effect.flip(tell(other, "0x2", proven)))._tag, "Refusal")
      yield* resolved(tenant, operation, stated({ txHash: "0xanother" }))
      const given = yield* tell(other, "0x2", proven)
      assert.deepInclude(given, { operationId: other.id, verdict: "PROVEN" })
      const ofFirst = yield* noted(tenant, operation)
      assert.sameMembers(
        ofFirst.map(({ txHash }) => txHash),
        ["0x1", "0x2"],
        "it stays to be read"
      )
      assert.isTrue(ofFirst.every(isSetAside))
      return undefined
    }).pipe(Effect.provide(store))
  )
})
