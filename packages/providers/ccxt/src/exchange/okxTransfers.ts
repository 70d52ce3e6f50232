import { Effect, Schema } from "effect"
import type { Api } from "../internal/Api.ts"
import { unsent } from "../internal/CallError.ts"
import { type Exact, minus, parse, plus, toText, zero } from "../internal/Exact.ts"
import { beforeSending, DecimalText, undashed } from "../internal/wire.ts"

const Funding = Schema.Struct({
  data: Schema.Array(Schema.Struct({ ccy: Schema.String, bal: DecimalText, availBal: DecimalText }))
})
const Trading = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      details: Schema.Array(Schema.Struct({ ccy: Schema.String, cashBal: DecimalText, availBal: DecimalText }))
    })
  )
})
const Transferred = Schema.Struct({ data: Schema.NonEmptyArray(Schema.Struct({ transId: Schema.String })) })

/** The two accounts of okx: withdrawals leave from one, orders are filled from the other. */
export const accounts = { funding: "6", trading: "18" } as const

/** One of them. */
export type Account = keyof typeof accounts

/** What the accounts hold, and what of it is free, by coin. */
export const holdings = (api: Api) =>
  Effect.map(
    Effect.all([api.call("privateGetAssetBalances", {}, Funding), api.call("privateGetAccountBalance", {}, Trading)]),
    ([funding, trading]) => {
      const details = trading.data.flatMap((row) => row.details)
      const total = new Map<string, Exact>()
      for (const { bal, ccy } of funding.data) total.set(ccy, bal)
      for (const { cashBal, ccy } of details) total.set(ccy, plus(total.get(ccy) ?? zero, cashBal))
      const free = {
        funding: new Map(funding.data.map(({ availBal, ccy }) => [ccy, availBal])),
        trading: new Map(details.map(({ availBal, ccy }) => [ccy, availBal]))
      }
      return { total, free }
    }
  )

/**
 * Sees to it that an account has so much free, by moving what lacks from the other one. Nothing leaves okx by it, and
 * without it nothing is sent: whatever goes wrong here means that the order was not made.
 */
export const provide = Effect.fnUntraced(function* (
  api: Api,
  coin: string,
  amount: string,
  to: Account,
  reference: string
) {
  const { free } = yield* beforeSending(holdings(api))
  const wanted = parse(amount) ?? zero
  const lacks = plus(wanted, minus(free[to].get(coin) ?? zero))
  if (lacks.units <= 0n) return
  const from: Account = to === "funding" ? "trading" : "funding"
  if (plus(free[from].get(coin) ?? zero, minus(lacks)).units < 0n) {
    return yield* unsent(`okx does not hold enough ${coin}`)
  }
  yield* Effect.mapError(
    api.call(
      "privatePostAssetTransfer",
      {
        ccy: coin,
        amt: toText(lacks),
        from: accounts[from],
        to: accounts[to],
        type: "0",
        clientId: undashed(reference)
      },
      Transferred
    ),
    (error) => unsent(`${coin} could not be moved to the ${to} account: ${error.message}`)
  )
})
