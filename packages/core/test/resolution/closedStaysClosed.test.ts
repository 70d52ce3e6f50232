import { beginCustody } from "@bursar/core/custody/beginCustody"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { contradictionsOf } from "@bursar/core/operation/contradictions"
import type { Operation } from "@bursar/core/operation/Operation"
import type { WithdrawalState } from "@bursar/core/port/Custodian"
import { done, refused } from "@bursar/core/port/ProviderResult"
import { closeContradiction } from "@bursar/core/resolution/closeContradiction"
import { recordWithdrawal } from "@bursar/core/withdrawal/recordWithdrawal"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { bought, says as saysSwap, sent as sentSwap } from "../swap/world.ts"
import { hear, payer, says, send } from "../transfer/world.ts"
import { resolved, stated, stored } from "./world.ts"
import { store, submit, verified, withdraw, withdrawer } from "../withdrawal/world.ts"

const [t1, t2] = [`0x${"ab".repeat(32)}`, `0x${"cd".repeat(32)}`]
const eur = (units: bigint) => of(units, "EUR")
const close = (operation: Operation, reason = "dealt with") =>
  submit(operation.tenantId, closeContradiction({ operation, by: "anna", reason }))

const withdrawal = Effect.gen(function* () {
  const id = yield* withdrawer()
  yield* verified(id, "0x00000000000000000000000000000000000000A1")
  const made = yield* withdraw(id, 5_000_000n)
  if (typeof made === "string") return assert.fail(made)
  const begun = yield* submit(id, beginCustody(made, { name: "fake", environment: "LIVE" }))
  return begun._tag === "Send" ? begun.operation : assert.fail(begun._tag)
})
const hearW = Effect.fnUntraced(function* (operation: Operation, state: WithdrawalState | string) {
  yield* submit(
    operation.tenantId,
    recordWithdrawal({
      operation,
      answer: typeof state === "string" ? refused(state) : done(state),
      networkFeeBorneBy: "RECEIVER",
      currencies: defaultCurrencies
    })
  )
  return yield* stored(operation.tenantId, operation)
})
const settled = (txHash: string | null, providerReference = "w-1"): WithdrawalState => ({
  _tag: "Settled",
  providerReference,
  txHash,
  networkFee: null
})
const failed: WithdrawalState = { _tag: "Failed", providerReference: "w-1", reason: "no" }

describe("what operators have closed", () => {
  it.effect("hides no second transaction that has paid a withdrawal which had failed", () =>
    Effect.gen(function* () {
      const w = yield* withdrawal
      yield* hearW(w, failed)
      yield* close(yield* hearW(w, settled(t1)))
      assert.lengthOf(contradictionsOf(yield* hearW(w, settled(t2))), 1)
    }).pipe(Effect.provide(store))
  )
  it.effect("hides none where nothing is closed either: two transactions are two things said", () =>
    Effect.gen(function* () {
      const w = yield* withdrawal
      yield* hearW(w, failed)
      yield* hearW(w, settled(t1))
      assert.lengthOf(contradictionsOf(yield* hearW(w, settled(t2))), 2)
    }).pipe(Effect.provide(store))
  )
  it.effect("names the transaction", () =>
    Effect.gen(function* () {
      const w = yield* withdrawal
      yield* hearW(w, failed)
      assert.include(contradictionsOf(yield* hearW(w, settled(t1)))[0]?.said, t1.slice(2))
    }).pipe(Effect.provide(store))
  )
  it.effect("hides not that less came back than was closed", () =>
    Effect.gen(function* () {
      const id = yield* payer()
      const o = yield* send(id)
      yield* hear(id, o, says("SETTLED"))
      yield* hear(id, o, says("RETURNED"))
      const after = yield* hear(id, o, says("RETURNED", { returned: eur(9_999n) }))
      assert.lengthOf(contradictionsOf(after), 1)
      yield* close(after, "1 cent was kept by the bank: booked")
      assert.lengthOf(contradictionsOf(yield* hear(id, o, says("RETURNED", { returned: eur(1_000n) }))), 1)
    }).pipe(Effect.provide(store))
  )
  it.effect("hides not that a transfer which had failed was paid with more than was closed", () =>
    Effect.gen(function* () {
      const id = yield* payer()
      const o = yield* send(id)
      yield* hear(id, o, says("FAILED"))
      yield* close(yield* hear(id, o, says("SETTLED", { received: eur(1n) })))
      assert.lengthOf(contradictionsOf(yield* hear(id, o, says("SETTLED", { received: eur(10_000n) }))), 1)
    }).pipe(Effect.provide(store))
  )
  it.effect("hides not that a swap which had failed brought more than was closed", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const o = yield* sentSwap(id, 10_000n, true)
      const word = (units: bigint) =>
        done({ _tag: "Settled" as const, providerReference: "c-1", received: of(units, bought) })
      yield* saysSwap(id, o, done({ _tag: "Failed", providerReference: "c-1", reason: "no" }))
      yield* saysSwap(id, o, word(1n))
      yield* close(yield* stored(id, o))
      yield* saysSwap(id, o, word(10_000n))
      assert.lengthOf(contradictionsOf(yield* stored(id, o)), 1)
    }).pipe(Effect.provide(store))
  )
  it.effect("hides not that a swap which operators have settled brought less than was closed", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const o = yield* sentSwap(id, 10_000n, true)
      yield* resolved(id, o, stated({ providerReference: "c-1", received: of(10_000n, bought) }))
      const word = (units: bigint) =>
        done({ _tag: "Settled" as const, providerReference: "c-1", received: of(units, bought) })
      yield* saysSwap(id, o, word(9_999n))
      const open = yield* stored(id, o)
      assert.lengthOf(contradictionsOf(open), 1)
      yield* TestClock.adjust("1 hour")
      yield* close(open, "a unit of dust")
      yield* saysSwap(id, o, word(1n))
      assert.lengthOf(contradictionsOf(yield* stored(id, o)), 1)
    }).pipe(Effect.provide(store))
  )
  it.effect("is news once its custodian has taken it back and says it again", () =>
    Effect.gen(function* () {
      const w = yield* withdrawal
      yield* hearW(w, failed)
      yield* close(yield* hearW(w, settled(null)), "their mistake: nothing left")
      yield* hearW(w, failed)
      yield* TestClock.adjust("1 day")
      assert.lengthOf(contradictionsOf(yield* hearW(w, settled(null))), 1)
    }).pipe(Effect.provide(store))
  )
  it.effect("is news once the provider of a transfer has taken it back and says it again", () =>
    Effect.gen(function* () {
      const id = yield* payer()
      const o = yield* send(id)
      yield* hear(id, o, says("FAILED"))
      yield* close(yield* hear(id, o, says("SETTLED")), "their mistake: nothing left")
      yield* hear(id, o, says("FAILED"))
      yield* TestClock.adjust("1 day")
      assert.lengthOf(contradictionsOf(yield* hear(id, o, says("SETTLED"))), 1)
    }).pipe(Effect.provide(store))
  )
  it.effect("stays closed where the same denial is worded anew each time", () =>
    Effect.gen(function* () {
      const w = yield* withdrawal
      const s = yield* resolved(w.tenantId, w, stated())
      yield* TestClock.adjust("1 hour")
      yield* close(yield* hearW(s, "no such order (request 1)"))
      assert.lengthOf(contradictionsOf(yield* hearW(s, "no such order (request 1)")), 0)
      assert.lengthOf(contradictionsOf(yield* hearW(s, "no such order (request 2)")), 0)
    }).pipe(Effect.provide(store))
  )
})
