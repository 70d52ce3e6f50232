import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { approveResolution, proposeResolution } from "@bursar/core/resolution/resolutionCommands"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  balanceOf,
  float,
  hear,
  payer,
  propose,
  refusalOf,
  says,
  send,
  sender,
  settledWith,
  store,
  submit,
  wrong
} from "./world.ts"

const announced = 10_000n

const arrives = (units: bigint) => says("SETTLED", { received: of(units, "EUR"), sender })

/** An ON_RAMP of 100 EUR of which the bank says that so much arrived. */
const told = Effect.fnUntraced(function* (units: bigint) {
  const tenant = yield* payer()
  const sent = yield* send(tenant, { kind: "ON_RAMP", payee: null })
  const [before] = yield* float(tenant, "EUR")
  const bank = yield* balanceOf(tenant, "bank", "EUR")
  return { tenant, before, bank, operation: yield* hear(tenant, sent, arrives(units)) }
})

describe("an ON_RAMP of which the bank tells an amount that was misread", () => {
  for (const [what, units] of [
    ["millionths as whole units", announced * 1_000_000n],
    ["more than a hundred times what was announced", announced * 100n + 1n]
  ] as const)
    it.effect(`credits and books nothing, and stays open: ${what}`, () =>
      Effect.gen(function* () {
        const { bank, before, operation, tenant } = yield* told(units)
        assert.deepStrictEqual([operation.status === "SETTLED", operation.unresolved], [false, true])
        assert.deepStrictEqual(yield* float(tenant, "EUR"), [before, 0n])
        assert.strictEqual(yield* balanceOf(tenant, "bank", "EUR"), bank)
        // and the bank corrects itself
        const after = yield* hear(tenant, operation, arrives(announced))
        assert.deepStrictEqual([after.status, after.unresolved], ["SETTLED", false])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      }).pipe(Effect.provide(store))
    )

  it.effect("is not credited by what came back of it in part: it is no proof that the rest had come", () =>
    Effect.gen(function* () {
      const units = announced * 1_000_000n
      const { before, operation, tenant } = yield* told(units)
      const part = { received: of(units, "EUR"), returned: of(announced, "EUR"), sender }
      const back = yield* hear(tenant, operation, says("RETURNED", part))
      assert.isTrue(back.unresolved)
      assert.deepStrictEqual(yield* float(tenant, "EUR"), [before, 0n])
    }).pipe(Effect.provide(store))
  )

  for (const [what, back] of [
    ["as much as was announced", announced],
    ["more than was announced", announced * 2n]
  ] as const)
    it.effect(`stays open where a part went back, and how much arrived is not told with it: ${what}`, () =>
      Effect.gen(function* () {
        const { bank, before, operation, tenant } = yield* told(announced * 150n)
        const returned = { returned: of(back, "EUR"), sender }
        for (const received of [null, of(announced * 150n, "EUR"), null]) {
          const after = yield* hear(tenant, operation, says("RETURNED", { received, ...returned }))
          assert.deepInclude(after, { status: "AWAITING_FUNDS", unresolved: true })
          assert.match(after.details.unresolved_because ?? "", /15000 EUR is said to have arrived where 100 EUR/u)
        }
        // nor is it operators' word that nothing stayed
        const part = { ...settledWith(back, "EUR"), outcome: "RETURNED" as const }
        const open = yield* hear(tenant, operation, says("RETURNED", { received: null, ...returned }))
        assert.strictEqual(
          yield* refusalOf(tenant, proposeResolution({ operation: open, statement: part, by: "anna", currencies })),
          "state_conflict"
        )
        assert.deepStrictEqual(yield* float(tenant, "EUR"), [before, 0n])
        assert.strictEqual(yield* balanceOf(tenant, "bank", "EUR"), bank)
        // all of it may well go back
        const whole = { received: null, returned: of(announced * 150n, "EUR") }
        const after = yield* hear(tenant, operation, says("RETURNED", whole))
        assert.deepInclude(after, { status: "RETURNED", unresolved: false })
        assert.deepStrictEqual(yield* wrong(tenant), [])
      }).pipe(Effect.provide(store))
    )

  it.effect("credits it once two operators say that it arrived", () =>
    Effect.gen(function* () {
      const { before, operation, tenant } = yield* told(announced * 200n)
      const resolution = yield* propose(tenant, operation, settledWith(announced * 200n, "EUR"))
      yield* submit(tenant, approveResolution({ resolution, operation, by: "ben", currencies, proof: null }))
      assert.deepStrictEqual(
        yield* float(tenant, "EUR"),
        [before + announced * 198n, 0n],
        "all of it, less one percent"
      )
      assert.deepStrictEqual(yield* wrong(tenant), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("credits a hundred times what was announced on the bank's word", () =>
    Effect.gen(function* () {
      const { operation } = yield* told(announced * 100n)
      assert.strictEqual(operation.status, "SETTLED")
    }).pipe(Effect.provide(store))
  )
})
