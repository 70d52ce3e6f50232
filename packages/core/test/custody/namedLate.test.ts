import { beginCustody } from "@bursar/core/custody/beginCustody"
import { proposeDestination, verifyDestination } from "@bursar/core/destination/destinationCommands"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { contradictionsOf } from "@bursar/core/operation/contradictions"
import type { Operation } from "@bursar/core/operation/Operation"
import { done } from "@bursar/core/port/ProviderResult"
import type { WithdrawalState } from "@bursar/core/port/Custodian"
import { noteEvidence } from "@bursar/core/resolution/noteEvidence"
import type { Statement } from "@bursar/core/resolution/Resolution"
import { approveResolution, proposeResolution } from "@bursar/core/resolution/resolutionCommands"
import { closeContradiction } from "@bursar/core/resolution/closeContradiction"
import { recordWithdrawal } from "@bursar/core/withdrawal/recordWithdrawal"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { stated, stored } from "../resolution/world.ts"
import { store, submit, withdraw, withdrawer } from "../withdrawal/world.ts"

const one = "0x00000000000000000000000000000000000000aa"
const [T1, T2] = [`0x${"ab".repeat(32)}`, `0x${"cd".repeat(32)}`]
const proof = { verdict: "PROVEN", detail: "it paid", fee: null } as const
const sentTo = Effect.fnUntraced(function* (address: string) {
  const id = yield* withdrawer()
  const wish = { currency: "USDC_BASE", network: "base", address, memo: null, label: address, by: "alice" } as const
  yield* submit(id, verifyDestination((yield* submit(id, proposeDestination(wish))).id, "bob"))
  const made = yield* withdraw(id, 100_000_000n)
  if (typeof made === "string") return assert.fail(made)
  const task = yield* submit(id, beginCustody(made, { name: "fake", environment: "LIVE" }))
  return task._tag === "Send" ? task.operation : assert.fail(task._tag)
})
const settle = Effect.fnUntraced(function* (w: Operation, statement: Statement) {
  const { tenantId } = w
  const operation = yield* stored(tenantId, w)
  if (statement.txHash !== null)
    yield* submit(
      tenantId,
      noteEvidence({ operation, note: "seen", by: "anna", transaction: { hash: statement.txHash, proof } })
    )
  const asked = { operation, currencies: defaultCurrencies }
  const resolution = yield* submit(tenantId, proposeResolution({ ...asked, statement, by: "anna" }))
  yield* submit(
    tenantId,
    approveResolution({ ...asked, resolution, by: "ben", proof: statement.txHash === null ? null : proof })
  )
  return yield* stored(tenantId, w)
})
const hear = Effect.fnUntraced(function* (w: Operation, state: WithdrawalState) {
  const operation = yield* stored(w.tenantId, w)
  const answer = done(state)
  yield* submit(
    operation.tenantId,
    recordWithdrawal({ operation, answer, networkFeeBorneBy: "RECEIVER" as const, currencies: defaultCurrencies })
  )
  return yield* stored(w.tenantId, w)
})
const settled = (providerReference: string, txHash: string | null): WithdrawalState => ({
  _tag: "Settled",
  providerReference,
  txHash,
  networkFee: null
})

describe("a transaction that a custodian names of a withdrawal that is over", () => {
  it.effect("proves no other, once its custodian has told of it", () =>
    Effect.gen(function* () {
      const [w1, w2] = [yield* sentTo(one), yield* sentTo(one)]
      yield* hear(w1, { _tag: "Failed", providerReference: "o-1", reason: "no" })
      const late = yield* hear(w1, settled("o-1", T1))
      assert.lengthOf(contradictionsOf(late), 1)
      // operators book what left for w1 by an adjustment, and close
      yield* submit(w1.tenantId, closeContradiction({ operation: late, by: "anna", reason: "booked" }))
      const exit = yield* Effect.exit(settle(w2, stated({ basis: "CHAIN", providerReference: null, txHash: T1 })))
      assert.strictEqual(exit._tag, "Failure", "one payment: booked for w1 by adjustment, and has settled w2")
    }).pipe(Effect.provide(store))
  )
  it.effect("that has proven another is told with it, and closing does not hide that", () =>
    Effect.gen(function* () {
      const [w1, w2] = [yield* sentTo(one), yield* sentTo(one)]
      yield* settle(w2, stated({ basis: "CHAIN", providerReference: null, txHash: T1 }))
      yield* hear(w1, { _tag: "Failed", providerReference: "o-1", reason: "no" })
      const late = yield* hear(w1, settled("o-1", T1))
      assert.include(contradictionsOf(late)[0]?.said, w2.id)
    }).pipe(Effect.provide(store))
  )
  it.effect("proves no other where operators had settled it without a transaction, either", () =>
    Effect.gen(function* () {
      const [w1, w2] = [yield* sentTo(one), yield* sentTo(one)]
      yield* settle(w1, stated({ providerReference: "o-1" }))
      yield* hear(w1, settled("o-1", T1))
      const exit = yield* Effect.exit(settle(w2, stated({ basis: "CHAIN", providerReference: null, txHash: T1 })))
      assert.strictEqual(exit._tag, "Failure")
    }).pipe(Effect.provide(store))
  )
  it.effect("a second transaction of a settled withdrawal that is contradicted proves no other", () =>
    Effect.gen(function* () {
      const [w1, w2] = [yield* sentTo(one), yield* sentTo(one)]
      yield* settle(w1, stated({ providerReference: "o-1", txHash: T1 }))
      const late = yield* hear(w1, settled("o-1", T2))
      assert.lengthOf(contradictionsOf(late), 1)
      yield* submit(w1.tenantId, closeContradiction({ operation: late, by: "anna", reason: "booked" }))
      const exit = yield* Effect.exit(settle(w2, stated({ basis: "CHAIN", providerReference: null, txHash: T2 })))
      assert.strictEqual(exit._tag, "Failure", "T2 was the second payment of w1")
    }).pipe(Effect.provide(store))
  )
  it.effect("what has paid another is no payment of its own: closing it does not hide a second", () =>
    Effect.gen(function* () {
      const [w1, w2] = [yield* sentTo(one), yield* sentTo(one)]
      yield* settle(w2, stated({ basis: "CHAIN", providerReference: null, txHash: T1 }))
      yield* settle(w1, stated({ providerReference: "o-1" }))
      const late = yield* hear(w1, settled("o-1", T1))
      assert.include(contradictionsOf(late)[0]?.said, w2.id)
      yield* submit(w1.tenantId, closeContradiction({ operation: late, by: "anna", reason: "it did pay both" }))
      const again = yield* hear(w1, settled("o-1", T2))
      // it did pay both by T1, operators say: T2 is a second payment
      assert.lengthOf(contradictionsOf(again), 1)
    }).pipe(Effect.provide(store))
  )
})
