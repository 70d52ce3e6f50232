import { of } from "@bursar/core/money/Amount"
import { adjustFloat } from "@bursar/core/operation/adjustFloat"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Operator } from "./support/Operator.ts"

const token = `vera-${"0123456789abcdef".repeat(2)}`

const operators = [{ name: "vera", role: "viewer" as const, token: Redacted.make(token) }]

/** How many lines of each currency are shown. */
const shown = 100

it.live("whoever may look sees the newest lines of each currency in suspense, and all that stands there", () =>
  Effect.gen(function* () {
    const { hands, operate, state } = yield* Operator
    const [tenant, other] = [yield* hands.tenant(), yield* hands.tenant()]
    const leave = (currency: string, units: bigint, reason: string, whose = tenant) =>
      hands.submit(whose, adjustFloat({ amount: of(units, currency), against: "suspense", reason }))
    // what is taken from suspense stands there with the other sign: the books here begin with what is to be given back
    yield* leave("ETH", 10n ** 18n, "first of all")
    for (let count = 1; count <= shown + 2; count += 1) yield* leave("XLM", 10_000_000n, `XLM ${count}`)
    yield* leave("XLM", -2_500_000n, "back")
    yield* leave("BTC", 1n, "theirs", other)
    const before = state.tenants.get(tenant)?.legs.length
    const read = (whose: string) => operate("GET", `/operator/v1/tenants/${whose}/suspense`, { key: token })
    const { body, status } = yield* read(tenant)
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(body.balances, [
      { amount: "-1", currency: "ETH" },
      { amount: "-101.75", currency: "XLM" }
    ])
    const lines: ReadonlyArray<{ readonly amount: { readonly currency: string }; readonly reason: string }> =
      body.entries
    assert.deepStrictEqual(
      lines.map(({ amount, reason }) => [amount.currency, reason]),
      [
        ["XLM", "back"],
        ...Array.from({ length: shown - 1 }, (_, index) => ["XLM", `XLM ${shown + 2 - index}`]),
        ["ETH", "first of all"]
      ]
    )
    const { operation_id, posted_at, ...newest } = body.entries[0]
    assert.isDefined(state.tenants.get(tenant)?.operations.get(operation_id))
    assert.match(posted_at, /Z$/u)
    assert.deepStrictEqual(newest, {
      direction: "in",
      amount: { amount: "0.25", currency: "XLM" },
      network: null,
      tx_hash: null,
      reason: "back",
      paid_to: null,
      memo: null,
      from_address: null
    })
    assert.deepStrictEqual((yield* read(other)).body.balances, [{ amount: "-0.00000001", currency: "BTC" }])
    for (const nobody of ["019845e1-682f-7b02-a706-00000000ffff", "nobody"]) {
      const absent = yield* read(nobody)
      assert.deepStrictEqual([absent.status, absent.body.error.code], [404, "not_found"])
    }
    assert.strictEqual(state.tenants.get(tenant)?.legs.length, before)
  }).pipe(Effect.provide(Operator.layerWith({ operators })))
)
