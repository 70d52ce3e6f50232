import { Clock, Effect, Schema } from "effect"
import { unsent } from "../internal/CallError.ts"
import { absolute, isEqual, minus, parse, plus, stepOf, times, toText, zero } from "../internal/Exact.ts"
import { filledByTrades } from "../internal/filled.ts"
import { absent, found, type OrderReport, type Profile } from "../internal/Profile.ts"
import { unlisted } from "../internal/unlisted.ts"
import { beforeSending, DecimalText, exactOf, MaybeText, pages, textOf, undashed } from "../internal/wire.ts"
import { holdings, provide } from "./okxTransfers.ts"

const Instruments = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      instId: Schema.String,
      baseCcy: Schema.String,
      quoteCcy: Schema.String,
      lotSz: MaybeText,
      minSz: MaybeText,
      state: Schema.String
    })
  )
})
const Tickers = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({ instId: Schema.String, bidPx: Schema.String, askPx: Schema.String, ts: Schema.String })
  )
})
const Rates = Schema.Struct({
  data: Schema.Array(Schema.Struct({ taker: MaybeText, takerUSDC: MaybeText }))
})
const Chains = Schema.Struct({
  data: Schema.Array(Schema.Struct({ chain: Schema.String, canWd: Schema.Boolean, fee: MaybeText, minFee: MaybeText }))
})
const Withdrawn = Schema.Struct({ data: Schema.NonEmptyArray(Schema.Struct({ wdId: Schema.String })) })
const History = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({ wdId: Schema.String, clientId: MaybeText, state: Schema.String, txId: MaybeText, fee: MaybeText })
  )
})
const Ordered = Schema.Struct({ data: Schema.NonEmptyArray(Schema.Struct({ ordId: Schema.String })) })
const Orders = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({ ordId: Schema.String, clOrdId: Schema.String, state: Schema.String, accFillSz: DecimalText })
  )
})
const Fill = Schema.Struct({
  billId: Schema.String,
  ordId: Schema.String,
  fillSz: DecimalText,
  fillPx: DecimalText,
  fee: DecimalText,
  feeCcy: Schema.String
})
const Fills = Schema.Struct({ data: Schema.Array(Fill) })
const Refusal = Schema.Struct({
  code: Schema.String,
  msg: Schema.String,
  data: Schema.Array(Schema.Struct({ sCode: MaybeText, sMsg: MaybeText }))
})

/** Parameters, signature, permission; what a withdrawal or an order lacks. 51016 and its like, a duplicate, are not here. */
const certain = new Set(
  (
    "50000 50002 50006 50007 50008 50014 50015 50016 50024 50101 50102 50103 50104 50105 50106 50107 50110 50111 50112 50113 " +
    "50114 50115 50120 51000 51001 51008 51020 51119 51131 51201 58200 58201 58202 58203 58204 58205 58206 58207 58208 58209 " +
    "58210 58211 58212 58213 58221 58222 58224 58229 58350"
  ).split(" ")
)

const fillsPage = 100

/** For how long after an order the list of the latest fills, which goes back three days, is sure to have its own. The other one goes back three months. */
const recentMs = 2 * 86_400_000

/** okx's own amounts of a quote have at most this many decimals. */
const quoteDecimals = 8

/** Older rows carry the coin behind the fee. */
const withoutCoin = (fee: string | null | undefined) => fee?.replace(/[A-Za-z]+$/u, "")

const statusOf = (state: string) =>
  state === "2" ? "settled" : state === "-1" || state === "-2" ? "failed" : "pending"

const open = new Set(["live", "partially_filled"])

/** okx.com. A withdrawal leaves from the funding account and an order from the trading account; what lacks is moved first. */
export const okx: Profile = {
  refusalOf: (body) => {
    if (!Schema.is(Refusal)(body)) return undefined
    const [first] = body.data
    return { code: textOf(first?.sCode) ?? body.code, message: textOf(first?.sMsg) ?? body.msg }
  },
  isCertain: (code) => certain.has(code),
  findsWithdrawals: true,
  // okx takes the fee on top; what is sent is the amount less the fee, so that the amount is what leaves.
  networkFeeBorneBy: "RECEIVER",
  networks: {
    bitcoin: ["Bitcoin"],
    ethereum: ["ERC20"],
    bsc: ["BSC", "BEP20"],
    base: ["Base"],
    tron: ["TRC20"],
    stellar: ["Stellar Lumens", "Stellar"]
  },
  dollars: ["USD", "USDT", "USDC"],
  markets: (api) =>
    Effect.map(api.call("publicGetPublicInstruments", { instType: "SPOT" }, Instruments), ({ data }) =>
      data
        .filter(({ state }) => state === "live")
        .map(({ baseCcy, instId, lotSz, minSz, quoteCcy }) => ({
          id: instId,
          base: baseCcy,
          quote: quoteCcy,
          baseStep: exactOf(lotSz) ?? stepOf(quoteDecimals),
          baseMinimum: exactOf(minSz),
          quoteStep: stepOf(quoteDecimals),
          quoteMinimum: null,
          takerFee: null
        }))
    ),
  // what is taken is written below zero
  takerFee: (api, { id, quote }) =>
    Effect.map(api.call("privateGetAccountTradeFee", { instType: "SPOT", instId: id }, Rates), ({ data: [rates] }) => {
      const rate = exactOf((quote === "USDC" ? textOf(rates?.takerUSDC) : null) ?? textOf(rates?.taker))
      return rate === null ? null : minus(rate)
    }),
  tickers: (api) =>
    Effect.map(api.call("publicGetMarketTickers", { instType: "SPOT" }, Tickers), ({ data }) =>
      data.flatMap(({ askPx, bidPx, instId, ts }) => {
        const [bid, ask] = [parse(bidPx), parse(askPx)]
        return bid === undefined || ask === undefined ? [] : [{ market: instId, bid, ask, at: Number(ts) }]
      })
    ),
  balances: (api) => Effect.map(holdings(api), ({ total }) => total),
  terms: (api, coin, networks) =>
    Effect.map(api.call("privateGetAssetCurrencies", { ccy: coin }, Chains), ({ data }) => {
      const row = data.find(({ canWd, chain }) => canWd && networks.some((name) => chain === `${coin}-${name}`))
      return row === undefined
        ? null
        : { network: row.chain.slice(coin.length + 1), fee: exactOf(textOf(row.fee) ?? textOf(row.minFee)) }
    }),
  withdraw: (api, { address, amount, coin, memo, network, reference, sendBefore }) =>
    Effect.gen(function* () {
      const terms = yield* beforeSending(okx.terms(api, coin, [network]))
      if (terms?.fee == null) return yield* unsent("okx does not say what it takes for the network")
      const net = plus(parse(amount) ?? zero, minus(terms.fee))
      if (net.units <= 0n) return yield* unsent("the amount does not cover the network fee")
      yield* provide(api, coin, amount, "funding", reference)
      const { data } = yield* api.send(
        "privatePostAssetWithdrawal",
        {
          ccy: coin,
          amt: toText(net),
          dest: "4",
          toAddr: memo === null ? address : `${address}:${memo}`,
          chain: `${coin}-${network}`,
          fee: toText(terms.fee),
          clientId: undashed(reference)
        },
        Withdrawn,
        sendBefore
      )
      return data[0].wdId
    }),
  withdrawal: (api, { coin, reference }) =>
    Effect.gen(function* () {
      const clientId = undashed(reference)
      const { data } = yield* api.call("privateGetAssetWithdrawalHistory", { ccy: coin, clientId }, History)
      const row = data.find((one) => one.clientId === clientId)
      if (row === undefined) return absent
      const status = statusOf(row.state)
      return found({
        id: row.wdId,
        status,
        txHash: textOf(row.txId),
        fee: exactOf(withoutCoin(row.fee)),
        reason: status === "failed" ? `okx reports state ${row.state}` : null
      })
    }),
  order: (api, { amount, market, reference, sendBefore, side }) =>
    Effect.gen(function* () {
      yield* provide(api, side === "buy" ? market.quote : market.base, amount, "trading", reference)
      const { data } = yield* api.send(
        "privatePostTradeOrder",
        {
          instId: market.id,
          tdMode: "cash",
          side,
          ordType: "market",
          sz: amount,
          tgtCcy: side === "buy" ? "quote_ccy" : "base_ccy",
          clOrdId: undashed(reference)
        },
        Ordered,
        sendBefore
      )
      return data[0].ordId
    }),
  orderState: (api, order) =>
    Effect.gen(function* () {
      const { market, reference } = order
      const clOrdId = undashed(reference)
      const { data } = yield* api.call("privateGetTradeOrder", { instId: market.id, clOrdId }, Orders)
      const row = data.find((one) => one.clOrdId === clOrdId)
      if (row === undefined) return absent
      const id = row.ordId
      if (open.has(row.state)) return found<OrderReport>({ _tag: "Open", id })
      if (row.state !== "filled" && row.accFillSz.units === 0n)
        return found<OrderReport>({ _tag: "Dead", id, reason: `the order is ${row.state}` })
      const isOld = (yield* Clock.currentTimeMillis) - order.sentAt > recentMs
      const fills = yield* pages<typeof Fill.Type, string>("", (after) =>
        Effect.map(
          api.call(
            isOld ? "privateGetTradeFillsHistory" : "privateGetTradeFills",
            { instType: "SPOT", instId: market.id, ordId: id, limit: fillsPage, ...(after === "" ? {} : { after }) },
            Fills
          ),
          (page) => ({
            rows: page.data.filter(({ ordId }) => ordId === id),
            next: page.data.length < fillsPage ? null : (page.data.at(-1)?.billId ?? null)
          })
        )
      )
      const filled = fills.reduce((sum, { fillSz }) => plus(sum, fillSz), zero)
      if (!isEqual(filled, absolute(row.accFillSz))) return yield* unlisted(id, order)
      // a fee is written below zero
      const trades = fills.map(({ fee, feeCcy, fillPx, fillSz }) => ({
        size: fillSz,
        cost: times(fillSz, fillPx),
        fee: { coin: feeCcy, amount: minus(fee) }
      }))
      return found<OrderReport>(filledByTrades(id, order, trades))
    }).pipe(Effect.catch((error) => (error.code === "51603" ? Effect.succeed(absent) : Effect.fail(error))))
}
