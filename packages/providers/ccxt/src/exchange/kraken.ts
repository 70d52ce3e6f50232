import { Effect, Schema } from "effect"
import { type Exact, parse, stepOf } from "../internal/Exact.ts"
import type { Profile } from "../internal/Profile.ts"
import { DecimalText, exactOf, MaybeText } from "../internal/wire.ts"
import { commonName } from "./krakenCoins.ts"
import { order, orderState } from "./krakenOrders.ts"
import { terms, withdraw, withdrawal } from "./krakenWithdrawals.ts"

/** A percentage has few digits, which a JSON number keeps. */
const Figure = Schema.Union([Schema.String, Schema.Number])
const Pairs = Schema.Struct({
  result: Schema.Record(
    Schema.String,
    Schema.Struct({
      base: Schema.String,
      quote: Schema.String,
      status: Schema.String,
      lot_decimals: Schema.Int,
      cost_decimals: Schema.optionalKey(Schema.Int),
      pair_decimals: Schema.Int,
      ordermin: MaybeText,
      costmin: MaybeText,
      // by the volume of thirty days, the smallest first; percentages
      fees: Schema.optionalKey(Schema.Array(Schema.Tuple([Figure, Figure])))
    })
  )
})
const Volume = Schema.Struct({
  result: Schema.Struct({ fees: Schema.optionalKey(Schema.Record(Schema.String, Schema.Struct({ fee: Figure }))) })
})
const Offers = Schema.NonEmptyArray(DecimalText)
const Tickers = Schema.Struct({
  result: Schema.Record(Schema.String, Schema.Struct({ a: Offers, b: Offers }))
})
const Balances = Schema.Struct({ result: Schema.Record(Schema.String, Schema.Struct({ balance: DecimalText })) })
const Refusal = Schema.Struct({ error: Schema.NonEmptyArray(Schema.String) })

const shareOf = (percent: typeof Figure.Type | undefined): Exact | null => {
  const exact = percent === undefined ? undefined : parse(String(percent))
  return exact === undefined ? null : { units: exact.units, decimals: exact.decimals + 2 }
}

/** Without an id of ours an unknown withdrawal stays unknown, so what kraken rejects at its door is told apart with care. */
const certain =
  /^(?:EFunding:(?:Unknown|Invalid|Insufficient|No funding method|Below|Minimum)|EOrder:(?:Insufficient|Order minimum|Cost minimum|Invalid|Rate limit)|EAPI:(?:Invalid (?!nonce)|Rate limit)|EGeneral:(?:Permission denied|Invalid arguments|Too many requests)|EQuery:Unknown)/u

/** kraken.com. Its withdrawals carry no reference of ours; the calls of a key are made in turn, over all processes. */
export const kraken: Profile = {
  refusalOf: (body) => (Schema.is(Refusal)(body) ? { code: body.error[0], message: body.error.join(", ") } : undefined),
  // what is said of our reference may be that it is taken
  isCertain: (code, message) => certain.test(code) && !message.includes("cl_ord_id"),
  findsWithdrawals: false,
  networkFeeBorneBy: "RECEIVER",
  networks: {
    bitcoin: ["Bitcoin"],
    ethereum: ["Ethereum"],
    bsc: ["BNB Smart Chain", "BSC"],
    base: ["Base"],
    tron: ["Tron"],
    stellar: ["Stellar", "Stellar Lumens"]
  },
  dollars: ["USD"],
  markets: (api) =>
    Effect.map(api.call("publicGetAssetPairs", {}, Pairs), ({ result }) =>
      Object.entries(result)
        .filter(([, { status }]) => status === "online")
        .map(([id, pair]) => ({
          id,
          base: commonName(pair.base),
          quote: commonName(pair.quote),
          baseStep: stepOf(pair.lot_decimals),
          baseMinimum: exactOf(pair.ordermin),
          quoteStep: stepOf(pair.cost_decimals ?? pair.pair_decimals),
          quoteMinimum: exactOf(pair.costmin),
          takerFee: shareOf(pair.fees?.[0]?.[1])
        }))
    ),
  takerFee: (api, { id }) =>
    Effect.map(api.call("privatePostTradeVolume", { pair: id }, Volume), ({ result }) =>
      shareOf(result.fees?.[id]?.fee)
    ),
  tickers: (api, markets) =>
    Effect.map(api.call("publicGetTicker", { pair: markets.map(({ id }) => id).join(",") }, Tickers), ({ result }) =>
      Object.entries(result).map(([market, { a, b }]) => ({ market, bid: b[0], ask: a[0], at: null }))
    ),
  // Names with a point are staked or lent, and cannot be withdrawn.
  balances: (api) =>
    Effect.map(
      api.call("privatePostBalanceEx", {}, Balances),
      ({ result }) =>
        new Map(
          Object.entries(result).flatMap(([asset, { balance }]) =>
            asset.includes(".") ? [] : [[commonName(asset), balance] as const]
          )
        )
    ),
  terms,
  withdraw,
  withdrawal,
  order,
  orderState
}
