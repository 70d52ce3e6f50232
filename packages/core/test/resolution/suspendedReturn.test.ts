import { of } from "@bursar/core/money/Amount"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { resolved, stated } from "./world.ts"
import { balanceOf, hear, payer, says, send, sender, store } from "../transfer/world.ts"

const usd = (units: bigint) => of(units, "USD")
const arrives = says("SETTLED", { received: usd(9_000n), sender })

/** An ON_RAMP in suspense: 90 USD came where EUR was to come. Then its provider says that something went back, and, by a word that lags, that it is there. */
const lagging = Effect.fnUntraced(function* (returned: bigint | null) {
  const id = yield* payer()
  const o = yield* send(id, { kind: "ON_RAMP", payee: null })
  yield* hear(id, o, arrives)
  yield* hear(id, o, says("RETURNED", { returned: returned === null ? null : usd(returned), sender }))
  return { id, o, after: yield* hear(id, o, arrives) }
})

describe("an ON_RAMP in suspense of which a return was told that cannot be booked", () => {
  for (const returned of [null, 9_500n])
    it.effect(`is still shown with that once a word lags: ${returned ?? "nobody knows how much"} came back`, () =>
      Effect.gen(function* () {
        const { after } = yield* lagging(returned)
        assert.include(after.details.unresolved_because, "come back")
      }).pipe(Effect.provide(store))
    )

  it.effect("is placed by operators who know better, and then as its provider says", () =>
    Effect.gen(function* () {
      const { after, id, o } = yield* lagging(null)
      const placed = yield* resolved(id, after, stated({ providerReference: null, received: usd(9_000n) }))
      assert.deepStrictEqual([placed.status, placed.unresolved], ["SETTLED", false])
      assert.strictEqual(yield* balanceOf(id, "suspense", "USD"), 0n)
      const again = yield* hear(id, o, arrives)
      assert.isFalse(again.unresolved)
    }).pipe(Effect.provide(store))
  )

  it.effect("goes back once its provider says how much", () =>
    Effect.gen(function* () {
      const { id, o } = yield* lagging(null)
      const back = yield* hear(id, o, says("RETURNED", { returned: usd(9_000n), sender }))
      assert.deepStrictEqual([back.status, back.unresolved], ["RETURNED", false])
      assert.strictEqual(yield* balanceOf(id, "suspense", "USD"), 0n)
    }).pipe(Effect.provide(store))
  )
})
