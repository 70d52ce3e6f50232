import { CcxtPrices } from "@bursar/ccxt"
import { afterFee } from "@bursar/core/money/afterFee"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { convert } from "@bursar/core/money/Rate"
import type { ConvertOrder } from "@bursar/core/port/Custodian"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { wires } from "./support/wires.ts"
import { serve, type Wire } from "./support/Wire.ts"
import { makeCustodian, optionsFor } from "./support/world.ts"

const opened = Effect.fnUntraced(function* (wire: Wire) {
  const served = yield* serve(wire)
  const options = optionsFor(wire, served)
  return {
    served,
    custodian: yield* makeCustodian(options),
    prices: yield* CcxtPrices.make(options)
  }
})

const dollarOf = ({ name }: Wire) => (name === "coinbase" ? "USDC_ETH" : "USDT_TRON")

/** A sale of BTC and a buy of it. */
const orders = (wire: Wire): ReadonlyArray<ConvertOrder> => {
  const order = { sentAt: Date.now() }
  const quote = dollarOf(wire)
  return [
    { ...order, reference: crypto.randomUUID(), amount: { units: 12_345_678n, currency: "BTC" }, to: quote },
    { ...order, reference: crypto.randomUUID(), amount: { units: 5_000_500_000n, currency: quote }, to: "BTC" }
  ]
}

const decimalsOf = (currencies: CurrencyTable, code: string) => ({
  decimals: currencies.byCode(code)?.decimals ?? assert.fail(code)
})

const feeOf = (text: string | null) => (text === null ? null : Number(text))

const numberOf = (fee: { readonly units: bigint; readonly decimals: number } | null) =>
  fee === null ? null : Number(fee.units) / 10 ** fee.decimals

const settle = Effect.fnUntraced(function* (
  custodian: Effect.Success<ReturnType<typeof opened>>["custodian"],
  wire: Wire,
  order: ConvertOrder
) {
  const taken = yield* custodian.convert(order)
  assert.strictEqual(
    taken._tag,
    "Done",
    JSON.stringify(taken, (_, value) => String(value))
  )
  wire.book.finish()
  const answer = yield* custodian.conversion(order, null)
  return answer._tag === "Done" && answer.value._tag === "Settled" ? answer.value : assert.fail(answer._tag)
})

for (const [name, open] of Object.entries(wires)) {
  describe(`trading fees at ${name}`, () => {
    it.live("a conversion brings no less than the rate less the fee promised, in both directions", () =>
      Effect.gen(function* () {
        const wire = open()
        const { custodian, prices } = yield* opened(wire)
        wire.book.taker = "0.0035"
        for (const order of orders(wire)) {
          const { currency, units } = order.amount
          const rate = yield* prices.rate(currency, order.to)
          const fee = yield* custodian.conversionFee(currency, order.to)
          if (rate === null || fee === null) return assert.fail("no rate or no fee")
          const net = afterFee(rate, fee)
          if (net === null) return assert.fail("no price is left")
          const [from, to] = [decimalsOf(defaultCurrencies, currency), decimalsOf(defaultCurrencies, order.to)]
          const promised = convert(units, from, to, net.price, "down")
          const { received, sold } = yield* settle(custodian, wire, order)
          // whether or not the fee was taken out of it
          assert.deepStrictEqual(sold, order.amount)
          assert.isTrue(received.units >= promised, `${received.units} came of ${promised}`)
          assert.isTrue(received.units <= promised + promised / 10_000n, "the fee is not that of the account")
        }
        return undefined
      })
    )

    it.live("a fee that nobody tells is not known, never zero", () =>
      Effect.gen(function* () {
        const wire = open()
        wire.book.taker = null
        const silent = yield* opened(wire)
        assert.isNull(yield* silent.custodian.conversionFee("BTC", dollarOf(wire)))
        const forbidding = open()
        forbidding.book.feesForbidden = true
        const forbidden = yield* opened(forbidding)
        assert.isNull(yield* forbidden.custodian.conversionFee("BTC", dollarOf(wire)))
        const dead = open()
        const unreachable = yield* opened(dead)
        yield* Effect.orDie(unreachable.custodian.pairs)
        dead.book.silent = true
        assert.isNull(yield* unreachable.custodian.conversionFee("BTC", dollarOf(wire)))
        assert.isNull(yield* silent.custodian.conversionFee("BTC", "NO_SUCH"))
      })
    )

    it.live("between the networks of one coin nothing is taken", () =>
      Effect.gen(function* () {
        const wire = open()
        const { custodian, served } = yield* opened(wire)
        const coin = name === "coinbase" ? "USDC" : "USDT"
        assert.strictEqual(numberOf(yield* custodian.conversionFee(`${coin}_BSC`, `${coin}_ETH`)), 0)
        assert.lengthOf(served.requests, 0)
      })
    )

    if (name !== "kraken") {
      it.live("a fee on top of what is sold is told beside, and what is received is all of what came", () =>
        Effect.gen(function* () {
          const wire = open()
          const { custodian } = yield* opened(wire)
          wire.book.feeFrom = "source"
          const [sale, buy] = orders(wire)
          for (const order of name === "coinbase" ? [buy] : [sale, buy]) {
            if (order === undefined) return assert.fail("there is no order")
            const before = yield* Effect.orDie(custodian.balances)
            const { feesBeside = [], received, sold } = yield* settle(custodian, wire, order)
            const after = yield* Effect.orDie(custodian.balances)
            const fell = (code: string) => (before.get(code) ?? 0n) - (after.get(code) ?? 0n)
            assert.deepStrictEqual(
              feesBeside.map(({ currency }) => currency),
              [order.amount.currency]
            )
            const beyond = fell(order.amount.currency) - order.amount.units - (feesBeside[0]?.units ?? 0n)
            assert.isTrue(beyond >= -1n && beyond <= 1n, `${beyond} units are told nowhere`)
            assert.strictEqual(-fell(order.to), received.units)
            assert.deepStrictEqual(sold, order.amount)
          }
          return undefined
        })
      )
    }
  })
}

describe("trading fees at single exchanges", () => {
  it.live(
    "a fee in a token of the exchange lessens no holding of the conversion, and is told where there are books of it",
    () =>
      Effect.gen(function* () {
        for (const open of [wires.binance, wires.bitget, wires.okx]) {
          const wire = open()
          const served = yield* serve(wire)
          const native = defaultCurrencies.byCode("BNB")
          const custodian = yield* makeCustodian(optionsFor(wire, served))
          wire.book.feeFrom = "token"
          const [sale] = orders(wire)
          if (sale === undefined) return assert.fail("there is no order")
          const { feesBeside, received } = yield* settle(custodian, wire, sale)
          assert.strictEqual(received.units, 6_172_839_000n, wire.name)
          // two trades, two hundredths each
          const told = native === undefined ? undefined : [{ units: 4n * 10n ** 16n, currency: native.code }]
          assert.deepStrictEqual(feesBeside, told, wire.name)
        }
        return undefined
      })
  )

  it.live("where the account's fee is not told, the one that the market publishes counts", () =>
    Effect.gen(function* () {
      for (const open of [wires.kraken, wires.bitget]) {
        for (const change of [{ taker: null }, { feesForbidden: true }]) {
          const wire = open()
          Object.assign(wire.book, { published: "0.0026", ...change })
          const { custodian } = yield* opened(wire)
          const fee = numberOf(yield* custodian.conversionFee("BTC", dollarOf(wire)))
          assert.strictEqual(fee, feeOf("0.0026"), wire.name)
        }
      }
    })
  )

  it.effect("a fee is asked once in a while, and one that is too old is asked again", () =>
    Effect.gen(function* () {
      const wire = wires.binance()
      const { custodian, served } = yield* opened(wire)
      const asked = () => served.requests.filter(({ path }) => path.endsWith("/commission")).length
      const fee = () => Effect.map(custodian.conversionFee("BTC", "USDT_TRON"), numberOf)
      assert.deepStrictEqual([yield* fee(), yield* fee(), asked()], [0.001, 0.001, 1])
      wire.book.taker = "0.002"
      yield* TestClock.adjust("11 minutes")
      assert.deepStrictEqual([yield* fee(), asked()], [0.002, 2])
      wire.book.silent = true
      yield* TestClock.adjust("11 minutes")
      assert.isNull(yield* fee())
    })
  )
})
