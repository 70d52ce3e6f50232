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
import { hearWithdrawalReplaced } from "@bursar/core/withdrawal/hearWithdrawalReplaced"
import { recordWithdrawal } from "@bursar/core/withdrawal/recordWithdrawal"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { stated, stored } from "./world.ts"
import { store, submit, withdraw, withdrawer } from "../withdrawal/world.ts"

const one = "0x00000000000000000000000000000000000000aa"
const T1 = `0x${"ab".repeat(32)}`
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

describe("a transaction that a custodian names of a withdrawal under another id", () => {
  it.effect("proves no other: told of the id that operators have replaced (hearWithdrawalReplaced)", () =>
    Effect.gen(function* () {
      const [w1, w2] = [yield* sentTo(one), yield* sentTo(one)]
      yield* hear(w1, { _tag: "Pending", providerReference: "o-1", txHash: null })
      yield* settle(w1, stated({ providerReference: "o-2" }))
      const read = yield* stored(w1.tenantId, w1)
      const word = { answer: done(settled("o-1", T1)), networks: defaultCurrencies.networks, partOf: undefined }
      yield* submit(w1.tenantId, hearWithdrawalReplaced(read, word))
      const late = yield* stored(w1.tenantId, w1)
      assert.lengthOf(contradictionsOf(late), 1)
      yield* submit(w1.tenantId, closeContradiction({ operation: late, by: "anna", reason: "booked" }))
      const exit = yield* Effect.exit(settle(w2, stated({ basis: "CHAIN", providerReference: null, txHash: T1 })))
      assert.strictEqual(exit._tag, "Failure", "one payment: booked for w1 by adjustment, and has settled w2")
    }).pipe(Effect.provide(store))
  )
  it.effect("proves no other: told while the withdrawal was open (heardOpen)", () =>
    Effect.gen(function* () {
      const [w1, w2] = [yield* sentTo(one), yield* sentTo(one)]
      yield* hear(w1, { _tag: "Pending", providerReference: "o-1", txHash: null })
      yield* hear(w1, settled("o-2", T1))
      const late = yield* hear(w1, settled("o-1", null))
      assert.strictEqual(late.status, "SETTLED")
      assert.lengthOf(contradictionsOf(late), 1)
      yield* submit(w1.tenantId, closeContradiction({ operation: late, by: "anna", reason: "booked" }))
      const exit = yield* Effect.exit(settle(w2, stated({ basis: "CHAIN", providerReference: null, txHash: T1 })))
      assert.strictEqual(exit._tag, "Failure", "one payment: booked for w1 by adjustment, and has settled w2")
    }).pipe(Effect.provide(store))
  )
  it.effect("is said anew once its custodian has taken it back since operators closed it, also while it is open", () =>
    Effect.gen(function* () {
      const w1 = yield* sentTo(one)
      yield* hear(w1, { _tag: "Pending", providerReference: "o-1", txHash: null })
      const told = yield* hear(w1, settled("o-2", T1))
      assert.lengthOf(contradictionsOf(told), 1)
      yield* submit(w1.tenantId, closeContradiction({ operation: told, by: "anna", reason: "it was a mistake" }))
      yield* hear(w1, { _tag: "Failed", providerReference: "o-2", reason: "never paid" })
      const again = yield* hear(w1, settled("o-2", T1))
      const after = yield* hear(w1, { _tag: "Failed", providerReference: "o-1", reason: "no" })
      assert.notStrictEqual(after.status, "FAILED", "what is said to be paid is given back")
      assert.lengthOf(contradictionsOf(again), 1)
    }).pipe(Effect.provide(store))
  )
})
