import { Effect, Schema } from "effect"
import { absolute, isEqual, minus, parse, plus, stepOf, zero } from "../internal/Exact.ts"
import { filledByTrades } from "../internal/filled.ts"
import { absent, found, type OrderReport, type Profile } from "../internal/Profile.ts"
import { unlisted } from "../internal/unlisted.ts"
import { DecimalText, exactOf, MaybeText, pages, textOf, undashed } from "../internal/wire.ts"

const Symbols = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      symbol: Schema.String,
      baseCoin: Schema.String,
      quoteCoin: Schema.String,
      quantityPrecision: Schema.NumberFromString,
      quotePrecision: Schema.NumberFromString,
      minTradeAmount: MaybeText,
      minTradeUSDT: MaybeText,
      takerFeeRate: MaybeText,
      status: Schema.String
    })
  )
})
const Tickers = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({ symbol: Schema.String, bidPr: Schema.String, askPr: Schema.String, ts: Schema.String })
  )
})
const Assets = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({ coin: Schema.String, available: DecimalText, frozen: DecimalText, locked: DecimalText })
  )
})
const Rates = Schema.Struct({ data: Schema.Struct({ takerFeeRate: MaybeText }) })
const Coins = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      coin: Schema.String,
      chains: Schema.Array(Schema.Struct({ chain: Schema.String, withdrawable: Schema.String, withdrawFee: MaybeText }))
    })
  )
})
const Placed = Schema.Struct({ data: Schema.Struct({ orderId: Schema.String }) })
const Records = Schema.Struct({
  data: Schema.NullOr(
    Schema.Array(
      Schema.Struct({
        orderId: Schema.String,
        clientOid: MaybeText,
        tradeId: MaybeText,
        fee: MaybeText,
        status: Schema.String
      })
    )
  )
})
const Orders = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      orderId: Schema.String,
      clientOid: Schema.String,
      status: Schema.String,
      baseVolume: DecimalText
    })
  )
})
const Fill = Schema.Struct({
  orderId: Schema.String,
  tradeId: Schema.String,
  size: DecimalText,
  amount: DecimalText,
  feeDetail: Schema.Struct({ feeCoin: Schema.String, totalFee: DecimalText })
})
const Fills = Schema.Struct({ data: Schema.Array(Fill) })
const Refusal = Schema.Struct({ code: Schema.String, msg: Schema.String })

/** Parameters, signature, permission; what a withdrawal or an order lacks. 40786 and 43118, duplicates, are not here. */
const certain = new Set(
  (
    "40001 40002 40003 40004 40005 40006 40008 40009 40011 40012 40014 40017 40018 40019 40020 40037 40040 40762 43002 43003 " +
    "43004 43005 43006 43008 43009 43012 43111 43117 45110 45111 47001 47002 47003 50020"
  ).split(" ")
)

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const fillsPage = 100

const failed = new Set(["fail", "failed", "reject", "rejected", "cancel", "cancelled", "wallet_fail"])

const statusOf = (status: string) => (status === "success" ? "settled" : failed.has(status) ? "failed" : "pending")

/** bitget.com, with a classic account. Fees of orders are to be paid in the coins themselves, not in BGB. */
export const bitget: Profile = {
  refusalOf: (body) => (Schema.is(Refusal)(body) ? { code: body.code, message: body.msg } : undefined),
  isCertain: (code) => certain.has(code),
  findsWithdrawals: true,
  networkFeeBorneBy: "RECEIVER",
  networks: {
    bitcoin: ["BTC"],
    ethereum: ["ERC20", "ETH"],
    bsc: ["BEP20", "BSC"],
    base: ["BASE"],
    tron: ["TRC20", "TRX"],
    stellar: ["XLM", "Stellar"]
  },
  dollars: ["USDT", "USDC"],
  markets: (api) =>
    Effect.map(api.call("publicSpotGetV2SpotPublicSymbols", {}, Symbols), ({ data }) =>
      data
        .filter(({ status }) => status === "online")
        .map((row) => ({
          id: row.symbol,
          base: row.baseCoin,
          quote: row.quoteCoin,
          baseStep: stepOf(row.quantityPrecision),
          baseMinimum: exactOf(row.minTradeAmount),
          quoteStep: stepOf(row.quotePrecision),
          quoteMinimum: row.quoteCoin === "USDT" ? exactOf(row.minTradeUSDT) : null,
          takerFee: exactOf(row.takerFeeRate)
        }))
    ),
  takerFee: (api, { id }) =>
    Effect.map(api.call("privateCommonGetV2CommonTradeRate", { symbol: id, businessType: "spot" }, Rates), ({ data }) =>
      exactOf(data.takerFeeRate)
    ),
  tickers: (api) =>
    Effect.map(api.call("publicSpotGetV2SpotMarketTickers", {}, Tickers), ({ data }) =>
      data.flatMap(({ askPr, bidPr, symbol, ts }) => {
        const [bid, ask] = [parse(bidPr), parse(askPr)]
        return bid === undefined || ask === undefined ? [] : [{ market: symbol, bid, ask, at: Number(ts) }]
      })
    ),
  balances: (api) =>
    Effect.map(
      api.call("privateSpotGetV2SpotAccountAssets", {}, Assets),
      ({ data }) =>
        new Map(data.map(({ available, coin, frozen, locked }) => [coin, plus(plus(available, frozen), locked)]))
    ),
  terms: (api, coin, networks) =>
    Effect.map(api.call("publicSpotGetV2SpotPublicCoins", { coin }, Coins), ({ data }) => {
      const row = data
        .find((one) => one.coin === coin)
        ?.chains.find(({ chain, withdrawable }) => withdrawable === "true" && networks.includes(chain))
      return row === undefined ? null : { network: row.chain, fee: exactOf(row.withdrawFee) }
    }),
  withdraw: (api, { address, amount, coin, memo, network, reference, sendBefore }) =>
    Effect.map(
      api.send(
        "privateSpotPostV2SpotWalletWithdrawal",
        {
          coin,
          transferType: "on_chain",
          address,
          chain: network,
          size: amount,
          clientOid: undashed(reference),
          ...(memo === null ? {} : { tag: memo })
        },
        Placed,
        sendBefore
      ),
      ({ data }) => data.orderId
    ),
  withdrawal: (api, { coin, reference, sentAt }) =>
    Effect.gen(function* () {
      const clientOid = undashed(reference)
      const { data } = yield* api.call(
        "privateSpotGetV2SpotWalletWithdrawalRecords",
        {
          coin,
          clientOid,
          startTime: String(sentAt - hourMs),
          endTime: String(sentAt + 6 * dayMs),
          limit: "100"
        },
        Records
      )
      const row = data?.find((one) => one.clientOid === clientOid)
      if (row === undefined) return absent
      const fee = exactOf(row.fee)
      return found({
        id: row.orderId,
        status: statusOf(row.status),
        txHash: textOf(row.tradeId),
        fee: fee === null ? null : absolute(fee),
        reason: failed.has(row.status) ? `bitget reports ${row.status}` : null
      })
    }),
  order: (api, { amount, market, reference, sendBefore, side }) =>
    Effect.map(
      api.send(
        "privateSpotPostV2SpotTradePlaceOrder",
        { symbol: market.id, side, orderType: "market", force: "gtc", size: amount, clientOid: undashed(reference) },
        Placed,
        sendBefore
      ),
      ({ data }) => data.orderId
    ),
  orderState: (api, order) =>
    Effect.gen(function* () {
      const { market, reference } = order
      const clientOid = undashed(reference)
      const { data } = yield* api.call("privateSpotGetV2SpotTradeOrderInfo", { clientOid }, Orders)
      const row = data.find((one) => one.clientOid === clientOid)
      if (row === undefined) return absent
      const id = row.orderId
      const isCancelled = row.status === "cancelled"
      if (isCancelled && row.baseVolume.units === 0n)
        return found<OrderReport>({ _tag: "Dead", id, reason: "the order is cancelled" })
      if (!isCancelled && row.status !== "filled") return found<OrderReport>({ _tag: "Open", id })
      const fills = yield* pages<typeof Fill.Type, string>("", (before) =>
        Effect.map(
          api.call(
            "privateSpotGetV2SpotTradeFills",
            {
              symbol: market.id,
              orderId: id,
              limit: String(fillsPage),
              ...(before === "" ? {} : { idLessThan: before })
            },
            Fills
          ),
          (page) => ({
            rows: page.data.filter(({ orderId }) => orderId === id),
            next: page.data.length < fillsPage ? null : (page.data.at(-1)?.tradeId ?? null)
          })
        )
      )
      const filled = fills.reduce((sum, { size }) => plus(sum, size), zero)
      if (!isEqual(filled, row.baseVolume)) return yield* unlisted(id, order)
      // a fee is written below zero
      const trades = fills.map(({ amount, feeDetail, size }) => ({
        size,
        cost: amount,
        fee: { coin: feeDetail.feeCoin, amount: minus(feeDetail.totalFee) }
      }))
      return found<OrderReport>(filledByTrades(id, order, trades))
    }).pipe(Effect.catch((error) => (error.code === "43001" ? Effect.succeed(absent) : Effect.fail(error))))
}
