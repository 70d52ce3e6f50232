import { type Amount, of } from "@bursar/core/money/Amount"
import type { Operation } from "@bursar/core/operation/Operation"
import { closeContradiction } from "@bursar/core/resolution/closeContradiction"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { beginTransfer } from "@bursar/core/transfer/beginTransfer"
import { createTransfer } from "@bursar/core/transfer/createTransfer"
import type { PayerSeen } from "@bursar/core/transfer/refund"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { resolved, stated } from "./world.ts"
import { baseRequest, hear, keyed, payer, says, send, sender, store, submit } from "../transfer/world.ts"

const eur = (units: bigint) => of(units, "EUR")

/** An ON_RAMP of 100 EUR that its provider calls t-1, and operators have settled as ticket-7. */
const settledAs7 = Effect.gen(function* () {
  const id = yield* payer()
  const o = yield* send(id, { kind: "ON_RAMP", payee: null })
  yield* hear(id, o, says("SETTLED", { providerReference: "t-1", received: eur(10_000n), sender }))
  const open = yield* hear(id, o, says("UNRESOLVED", { providerReference: "t-1", sender }))
  const after = yield* resolved(id, open, stated({ providerReference: "ticket-7", received: eur(10_000n) }))
  assert.deepStrictEqual([after.status, after.unresolved], ["SETTLED", false])
  yield* hear(id, o, says("SETTLED", { providerReference: "t-1", received: eur(10_000n), sender }))
  return { id, o }
})

const returnTold = (returned: Amount | null) => says("RETURNED", { providerReference: "t-1", returned, sender })

/** What asking once more hears: ticket-7 is not known, and the word of t-1 lags. */
const lagging = (source: string): PayerSeen => ({
  _tag: "Told",
  source,
  providerReference: "t-1",
  status: "SETTLED",
  sender,
  received: eur(10_000n),
  returned: null
})

/** Begins a refund of all that an ON_RAMP brought. */
const refunded = Effect.fnUntraced(function* (id: TenantId, source: Operation) {
  const refund = { refundOf: source.id, name: "S" }
  const made = yield* keyed(
    id,
    createTransfer(baseRequest({ kind: "REFUND", amount: eur(10_000n), payee: null, refund }))
  )
  if (typeof made === "string") return assert.fail(made)
  return yield* submit(id, beginTransfer(made, { name: "fake", environment: "LIVE" }, { payer: [lagging(source.id)] }))
})

describe("a refund of an ON_RAMP that something contradicts", () => {
  for (const returned of [eur(10_000n), eur(3_000n), null])
    it.effect(`is not sent by a word that lags behind RETURNED of ${returned?.units ?? "nobody knows how much"}`, () =>
      Effect.gen(function* () {
        const { id, o } = yield* settledAs7
        yield* hear(id, o, returnTold(returned))
        const task = yield* refunded(id, o)
        assert.strictEqual(task._tag, "Wait")
      }).pipe(Effect.provide(store))
    )

  it.effect("is sent once operators have closed that", () =>
    Effect.gen(function* () {
      const { id, o } = yield* settledAs7
      const contradicted = yield* hear(id, o, returnTold(null))
      yield* submit(id, closeContradiction({ operation: contradicted, by: "anna", reason: "another order: booked" }))
      const task = yield* refunded(id, o)
      assert.strictEqual(task._tag, "Send")
    }).pipe(Effect.provide(store))
  )
})
