import { DateTime, Effect, Option, Schema } from "effect"
import { type Exact, minus, plus, zero } from "../internal/Exact.ts"
import { filledBy } from "../internal/filled.ts"
import { absent, found, type OrderReport, type Profile, type WireOrder } from "../internal/Profile.ts"
import { DecimalText, exactOf, MaybeText, pages, textOf } from "../internal/wire.ts"
import { accounts } from "./coinbaseAccounts.ts"
import { withdraw, withdrawal } from "./coinbaseSends.ts"

const Products = Schema.Struct({
  products: Schema.Array(
    Schema.Struct({
      product_id: Schema.String,
      base_currency_id: Schema.String,
      quote_currency_id: Schema.String,
      base_increment: DecimalText,
      quote_increment: DecimalText,
      base_min_size: MaybeText,
      quote_min_size: MaybeText,
      is_disabled: Schema.Boolean,
      trading_disabled: Schema.Boolean
    })
  )
})
const Offers = Schema.Array(Schema.Struct({ price: DecimalText }))
const Books = Schema.Struct({
  pricebooks: Schema.Array(
    Schema.Struct({ product_id: Schema.String, bids: Offers, asks: Offers, time: Schema.String })
  )
})
const Summary = Schema.Struct({ fee_tier: Schema.Struct({ taker_fee_rate: MaybeText }) })
const Placed = Schema.Struct({ success_response: Schema.Struct({ order_id: Schema.String }) })
const Row = Schema.Struct({
  order_id: Schema.String,
  client_order_id: Schema.String,
  status: Schema.String,
  settled: Schema.Boolean,
  filled_size: DecimalText,
  filled_value: DecimalText,
  total_value_after_fees: DecimalText,
  reject_message: MaybeText
})
const Batch = Schema.Struct({ orders: Schema.Array(Row), has_next: Schema.Boolean, cursor: MaybeText })
const Refusal = Schema.Union([
  Schema.Struct({ errors: Schema.NonEmptyArray(Schema.Struct({ id: Schema.String, message: Schema.String })) }),
  Schema.Struct({
    error_response: Schema.Struct({ error: MaybeText, message: MaybeText, preview_failure_reason: MaybeText })
  }),
  Schema.Struct({ error: Schema.String, message: MaybeText })
])

/** Parameters, signature, permission; what a send or an order lacks. */
const certain = new Set(
  (
    "two_factor_required param_required validation_error invalid_request personal_details_required unverified_email " +
    "identity_verification_required authentication_error unauthorized invalid_authentication_method invalid_token " +
    "revoked_token expired_token invalid_scope INSUFFICIENT_FUND PREVIEW_INSUFFICIENT_FUND PERMISSION_DENIED INVALID_ARGUMENT " +
    "UNSUPPORTED_ORDER_CONFIGURATION INVALID_PRODUCT_ID INVALID_SIDE PREVIEW_INVALID_BASE_SIZE_TOO_SMALL " +
    "PREVIEW_INVALID_QUOTE_SIZE_TOO_SMALL PREVIEW_INVALID_SIZE_PRECISION PREVIEW_INVALID_BASE_SIZE PREVIEW_INVALID_QUOTE_SIZE"
  ).split(" ")
)

const pageSize = 250
const skewMs = 60_000

/** Ended without all of it traded: Coinbase calls `settled` only what is fully traded, and nothing more comes of these. */
const ended = new Set(["CANCELLED", "EXPIRED", "FAILED"])

const reportOf = (order: WireOrder, row: typeof Row.Type): OrderReport => {
  const id = row.order_id
  const isEnded = ended.has(row.status)
  if (isEnded && row.filled_size.units === 0n)
    return { _tag: "Dead", id, reason: textOf(row.reject_message) ?? `the order is ${row.status}` }
  if (!isEnded && !(row.status === "FILLED" && row.settled)) return { _tag: "Open", id }
  // fees are always of the quote: out of what a sale brings, and out of the amount of a buy or on top of it
  if (order.side === "sell")
    return { _tag: "Filled", id, received: row.total_value_after_fees, sold: row.filled_size, beside: [] }
  const fee = plus(row.total_value_after_fees, minus(row.filled_value))
  const fees = [{ coin: order.market.quote, amount: fee }]
  return filledBy(id, order, { spent: row.filled_value, brought: row.filled_size, fees })
}

/** coinbase.com, Advanced Trade and the accounts beside it. Even its prices need a key. */
export const coinbase: Profile = {
  refusalOf: (body) => {
    if (!Schema.is(Refusal)(body)) return undefined
    if ("errors" in body) return { code: body.errors[0].id, message: body.errors[0].message }
    if ("error" in body) return { code: body.error, message: textOf(body.message) ?? body.error }
    const { error, message, preview_failure_reason: preview } = body.error_response
    const code = error === "UNKNOWN_FAILURE_REASON" ? preview : (error ?? preview)
    return { code: textOf(code) ?? "", message: textOf(message) ?? "" }
  },
  isCertain: (code) => certain.has(code),
  findsWithdrawals: true,
  networkFeeBorneBy: "SERVICE",
  networks: {
    bitcoin: ["bitcoin"],
    ethereum: ["ethereum"],
    base: ["base"],
    stellar: ["stellar"]
  },
  dollars: ["USD"],
  markets: (api) =>
    Effect.map(api.call("v3PublicGetBrokerageMarketProducts", { product_type: "SPOT" }, Products), ({ products }) =>
      products
        .filter(({ is_disabled, trading_disabled }) => !is_disabled && !trading_disabled)
        .map((product) => ({
          id: product.product_id,
          base: product.base_currency_id,
          quote: product.quote_currency_id,
          baseStep: product.base_increment,
          baseMinimum: exactOf(product.base_min_size),
          quoteStep: product.quote_increment,
          quoteMinimum: exactOf(product.quote_min_size),
          takerFee: null
        }))
    ),
  takerFee: (api) =>
    Effect.map(api.call("v3PrivateGetBrokerageTransactionSummary", { product_type: "SPOT" }, Summary), ({ fee_tier }) =>
      exactOf(fee_tier.taker_fee_rate)
    ),
  tickers: (api, markets) =>
    Effect.map(
      api.call("v3PrivateGetBrokerageBestBidAsk", { product_ids: markets.map(({ id }) => id) }, Books),
      ({ pricebooks }) =>
        pricebooks.flatMap(({ asks: [ask], bids: [bid], product_id, time }) =>
          ask === undefined || bid === undefined
            ? []
            : [
                {
                  market: product_id,
                  bid: bid.price,
                  ask: ask.price,
                  at: Option.getOrNull(Option.map(DateTime.make(time), DateTime.toEpochMillis))
                }
              ]
        )
    ),
  balances: (api) =>
    Effect.map(accounts(api), (rows) => {
      const total = new Map<string, Exact>()
      for (const { available_balance: available, currency, hold } of rows) {
        total.set(currency, plus(total.get(currency) ?? zero, plus(available.value, hold.value)))
      }
      return total
    }),
  // Coinbase tells what a send costs when it is made, not before.
  terms: (_api, _coin, [network]) => Effect.succeed(network === undefined ? null : { network, fee: null }),
  withdraw,
  withdrawal,
  order: (api, { amount, market, reference, sendBefore, side }) =>
    Effect.map(
      api.send(
        "v3PrivatePostBrokerageOrders",
        {
          client_order_id: reference,
          product_id: market.id,
          side: side.toUpperCase(),
          order_configuration: {
            market_market_ioc: side === "buy" ? { quote_size: amount } : { base_size: amount }
          }
        },
        Placed,
        sendBefore
      ),
      ({ success_response }) => success_response.order_id
    ),
  orderState: (api, order) =>
    Effect.gen(function* () {
      const rows = yield* pages<typeof Row.Type, string>("", (cursor) =>
        Effect.map(
          api.call(
            "v3PrivateGetBrokerageOrdersHistoricalBatch",
            {
              product_ids: [order.market.id],
              start_date: DateTime.formatIso(DateTime.makeUnsafe(order.sentAt - skewMs)),
              limit: pageSize,
              ...(cursor === "" ? {} : { cursor })
            },
            Batch
          ),
          (page) => ({ rows: page.orders, next: page.has_next ? textOf(page.cursor) : null })
        )
      )
      const row = rows.find(({ client_order_id }) => client_order_id === order.reference)
      return row === undefined ? absent : found(reportOf(order, row))
    })
}
