import { Effect, Schema } from "effect"
import type { Api } from "../internal/Api.ts"
import { unsent } from "../internal/CallError.ts"
import { type Exact, isEqual, minus, plus, stepOf, zero } from "../internal/Exact.ts"
import { filledByTrades } from "../internal/filled.ts"
import { absent, found, type Market, type OrderReport, type Profile, type WireOrder } from "../internal/Profile.ts"
import { unlisted } from "../internal/unlisted.ts"
import { DecimalText, exactOf, Id, MaybeText, pages, textOf, undashed } from "../internal/wire.ts"

const Info = Schema.Struct({
  symbols: Schema.Array(
    Schema.Struct({
      symbol: Schema.String,
      status: Schema.String,
      baseAsset: Schema.String,
      quoteAsset: Schema.String,
      quotePrecision: Schema.Int,
      quoteOrderQtyMarketAllowed: Schema.Boolean,
      filters: Schema.Array(
        Schema.Struct({ filterType: Schema.String, minQty: MaybeText, stepSize: MaybeText, minNotional: MaybeText })
      )
    })
  )
})
const Books = Schema.Array(Schema.Struct({ symbol: Schema.String, bidPrice: DecimalText, askPrice: DecimalText }))
const Account = Schema.Struct({
  balances: Schema.Array(Schema.Struct({ asset: Schema.String, free: DecimalText, locked: DecimalText }))
})
const Commission = Schema.Struct({ taker: DecimalText, buyer: DecimalText, seller: DecimalText })
const Commissions = Schema.Struct({
  standardCommission: Commission,
  taxCommission: Schema.optionalKey(Commission),
  specialCommission: Schema.optionalKey(Commission)
})
const Coins = Schema.Array(
  Schema.Struct({
    coin: Schema.String,
    networkList: Schema.Array(
      Schema.Struct({ network: Schema.String, withdrawEnable: Schema.Boolean, withdrawFee: MaybeText })
    )
  })
)
const Applied = Schema.Struct({ id: Schema.String })
const History = Schema.Array(
  Schema.Struct({
    id: Schema.String,
    withdrawOrderId: MaybeText,
    status: Schema.Int,
    txId: MaybeText,
    transactionFee: MaybeText,
    info: MaybeText
  })
)
const Ordered = Schema.Struct({ orderId: Id })
const Order = Schema.Struct({
  orderId: Id,
  clientOrderId: Schema.String,
  status: Schema.String,
  executedQty: DecimalText
})
const Trades = Schema.Array(
  Schema.Struct({
    id: Id,
    qty: DecimalText,
    quoteQty: DecimalText,
    commission: DecimalText,
    commissionAsset: Schema.String
  })
)
const Refusal = Schema.Struct({ code: Schema.Union([Schema.Int, Schema.String]), msg: Schema.String })

/** Parameters, signature, permission; what a withdrawal or an order lacks. -2010 also stands for a duplicate, so it is read. */
const certain = new Set(
  (
    "-1002 -1013 -1021 -1022 -1100 -1101 -1102 -1103 -1104 -1105 -1106 -1111 -1121 -2014 -2015 -4001 -4003 -4007 -4008 " +
    "-4012 -4013 -4015 -4016 -4017 -4018 -4019 -4021 -4022 -4023 -4024 -4026 -4028 -4033 -4034 -4035 -4036 -4044"
  ).split(" ")
)

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** How many trades one page has; nobody asks for more of one order. */
const tradesMax = 1_000

/** ccxt writes a withdrawal into the query without escaping it. */
const plain = /^[A-Za-z0-9:._~-]+$/u

const withdrawalStatus = (status: number) =>
  status === 6 ? "settled" : status === 1 || status === 3 || status === 5 ? "failed" : "pending"

const positive = (text: string | null | undefined) => {
  const exact = exactOf(text)
  return exact === null || exact.units === 0n ? null : exact
}

const marketOf = (symbol: (typeof Info.Type)["symbols"][number]): Market => {
  const filter = (type: string) => symbol.filters.find(({ filterType }) => filterType === type)
  const lot = filter("LOT_SIZE")
  return {
    id: symbol.symbol,
    base: symbol.baseAsset,
    quote: symbol.quoteAsset,
    baseStep: positive(filter("MARKET_LOT_SIZE")?.stepSize) ?? positive(lot?.stepSize) ?? stepOf(8),
    baseMinimum: positive(lot?.minQty),
    quoteStep: stepOf(symbol.quotePrecision),
    quoteMinimum: positive(filter("NOTIONAL")?.minNotional) ?? positive(filter("MIN_NOTIONAL")?.minNotional),
    takerFee: null
  }
}

const larger = (one: Exact, other: Exact) => (plus(one, minus(other)).units < 0n ? other : one)

/** Without the discount that BNB may bring: what is promised must hold when there is none left. */
const shareOf = ({ buyer, seller, taker }: typeof Commission.Type) => plus(taker, larger(buyer, seller))

/** All trades of an order, the oldest first. */
const tradesOf = (api: Api, symbol: string, orderId: string) =>
  pages<(typeof Trades.Type)[number], string>("0", (fromId) =>
    Effect.map(api.call("privateGetMyTrades", { symbol, orderId, fromId, limit: tradesMax }, Trades), (rows) => {
      const last = rows.at(-1)
      return { rows, next: rows.length < tradesMax || last === undefined ? null : String(BigInt(last.id) + 1n) }
    })
  )

/** Null while not all of its trades are listed. */
const reportOf = (order: WireOrder, row: typeof Order.Type, trades: typeof Trades.Type): OrderReport | null => {
  const traded = trades.reduce((sum, { qty }) => plus(sum, qty), zero)
  if (!isEqual(traded, row.executedQty)) return null
  return filledByTrades(
    String(row.orderId),
    order,
    trades.map(({ commission, commissionAsset, qty, quoteQty }) => ({
      size: qty,
      cost: quoteQty,
      fee: { coin: commissionAsset, amount: commission }
    }))
  )
}

/** binance.com. Fees of orders are to be paid in the coins themselves, not in BNB. */
export const binance: Profile = {
  refusalOf: (body) => (Schema.is(Refusal)(body) ? { code: String(body.code), message: body.msg } : undefined),
  isCertain: (code, message) => certain.has(code) || (code === "-2010" && /insufficient balance/iu.test(message)),
  findsWithdrawals: true,
  networkFeeBorneBy: "RECEIVER",
  networks: {
    bitcoin: ["BTC"],
    ethereum: ["ETH"],
    bsc: ["BSC"],
    base: ["BASE"],
    tron: ["TRX"],
    stellar: ["XLM"]
  },
  dollars: ["USDT", "USDC"],
  markets: (api) =>
    Effect.map(api.call("publicGetExchangeInfo", { permissions: "SPOT" }, Info), ({ symbols }) =>
      symbols
        .filter(({ quoteOrderQtyMarketAllowed, status }) => status === "TRADING" && quoteOrderQtyMarketAllowed)
        .map(marketOf)
    ),
  takerFee: (api, { id }) =>
    Effect.map(api.call("privateGetAccountCommission", { symbol: id }, Commissions), (told) =>
      [told.standardCommission, told.taxCommission, told.specialCommission].reduce(
        (total, one) => (one === undefined ? total : plus(total, shareOf(one))),
        zero
      )
    ),
  tickers: (api, markets) =>
    Effect.map(
      api.call("publicGetTickerBookTicker", { symbols: JSON.stringify(markets.map(({ id }) => id)) }, Books),
      (books) =>
        books.map(({ askPrice, bidPrice, symbol }) => ({ market: symbol, bid: bidPrice, ask: askPrice, at: null }))
    ),
  balances: (api) =>
    Effect.map(
      api.call("privateGetAccount", {}, Account),
      ({ balances }) => new Map(balances.map(({ asset, free, locked }) => [asset, plus(free, locked)]))
    ),
  terms: (api, coin, networks) =>
    Effect.map(api.call("sapiGetCapitalConfigGetall", {}, Coins), (coins) => {
      const row = coins
        .find((one) => one.coin === coin)
        ?.networkList.find(({ network, withdrawEnable }) => withdrawEnable && networks.includes(network))
      return row === undefined ? null : { network: row.network, fee: exactOf(row.withdrawFee) }
    }),
  withdraw: (api, { address, amount, coin, memo, network, reference, sendBefore }) =>
    Effect.gen(function* () {
      if (!plain.test(address) || (memo !== null && !plain.test(memo))) {
        return yield* unsent("the address or the memo has characters that cannot be sent to binance")
      }
      const { id } = yield* api.send(
        "sapiPostCapitalWithdrawApply",
        {
          coin,
          network,
          address,
          amount,
          withdrawOrderId: undashed(reference),
          ...(memo === null ? {} : { addressTag: memo })
        },
        Applied,
        sendBefore
      )
      return id
    }),
  withdrawal: (api, { coin, reference, sentAt }) =>
    Effect.gen(function* () {
      const withdrawOrderId = undashed(reference)
      // with a reference of ours, the window may be seven days at most
      const window = { startTime: sentAt - hourMs, endTime: sentAt + 6 * dayMs }
      const rows = yield* api.call("sapiGetCapitalWithdrawHistory", { coin, withdrawOrderId, ...window }, History)
      const row = rows.find((one) => one.withdrawOrderId === withdrawOrderId)
      if (row === undefined) return absent
      return found({
        id: row.id,
        status: withdrawalStatus(row.status),
        txHash: textOf(row.txId),
        fee: exactOf(row.transactionFee),
        reason: textOf(row.info)
      })
    }),
  order: (api, { amount, market, reference, sendBefore, side }) =>
    Effect.map(
      api.send(
        "privatePostOrder",
        {
          symbol: market.id,
          side: side.toUpperCase(),
          type: "MARKET",
          [side === "buy" ? "quoteOrderQty" : "quantity"]: amount,
          newClientOrderId: reference,
          newOrderRespType: "ACK"
        },
        Ordered,
        sendBefore
      ),
      ({ orderId }) => String(orderId)
    ),
  orderState: (api, order) =>
    Effect.gen(function* () {
      const symbol = order.market.id
      const row = yield* api.call("privateGetOrder", { symbol, origClientOrderId: order.reference }, Order)
      if (row.clientOrderId !== order.reference) return absent
      const id = String(row.orderId)
      if (["NEW", "PENDING_NEW", "PARTIALLY_FILLED", "PENDING_CANCEL"].includes(row.status)) {
        return found<OrderReport>({ _tag: "Open", id })
      }
      if (row.status !== "FILLED" && row.executedQty.units === 0n)
        return found<OrderReport>({ _tag: "Dead", id, reason: `the order is ${row.status}` })
      const report = reportOf(order, row, yield* tradesOf(api, symbol, id))
      return report === null ? yield* unlisted(id, order) : found(report)
    }).pipe(Effect.catch((error) => (error.code === "-2013" ? Effect.succeed(absent) : Effect.fail(error))))
}
