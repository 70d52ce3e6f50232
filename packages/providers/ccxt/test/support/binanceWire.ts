import { Redacted } from "effect"
import { createHmac } from "node:crypto"
import { Book, textOf, unitsOf } from "./Book.ts"
import { ok, type Wire, type WireRequest } from "./Wire.ts"

const key = "binance-key"
const secret = "binance-secret"

const paramsOf = ({ body, method, query }: WireRequest) => (method === "GET" ? query : new URLSearchParams(body))

const orderState = { open: "NEW", done: "FILLED", cancelled: "EXPIRED" } as const
const withdrawalState = { pending: 4, done: 6, failed: 5 } as const

/** binance: HMAC-SHA256 in hexadecimal over the query or the form, with a timestamp. */
export const binanceWire = (): Wire => {
  const book = new Book("USDT", "7000000")
  const symbol = "BTCUSDT"
  return {
    name: "binance",
    credentials: { apiKey: Redacted.make(key), secret: Redacted.make(secret) },
    book,
    gives: ({ method, path }) =>
      method !== "POST"
        ? undefined
        : path === "/sapi/v1/capital/withdraw/apply"
          ? "withdrawal"
          : path === "/api/v3/order"
            ? "conversion"
            : undefined,
    denies: (request) => {
      const open = ["/api/v3/exchangeInfo", "/api/v3/ticker/bookTicker"]
      if (open.includes(request.path)) return undefined
      const signed = request.method === "GET" ? request.search.slice(1) : request.body
      const [text = "", signature = ""] = signed.split("&signature=")
      const right = createHmac("sha256", secret).update(text).digest("hex")
      const fresh = Math.abs(Date.now() - Number(paramsOf(request).get("timestamp"))) < 60_000
      return right === signature && fresh && request.headers["x-mbx-apikey"] === key
        ? undefined
        : { status: 401, body: { code: -1022, msg: "Signature for this request is not valid." } }
    },
    denial: ({ denial }) => ({
      status: 400,
      body:
        denial === "insufficient"
          ? { code: -2010, msg: "Account has insufficient balance for requested action." }
          : denial === "duplicate"
            ? { code: -2010, msg: "Duplicate order sent." }
            : { code: -4033, msg: "Illegal address." }
    }),
    answer: (request, outcome) => {
      const params = paramsOf(request)
      const of = (name: string) => params.get(name) ?? ""
      switch (`${request.method} ${request.path}`) {
        case "GET /api/v3/exchangeInfo":
          return ok({
            symbols: [
              {
                symbol,
                status: "TRADING",
                baseAsset: "BTC",
                quoteAsset: "USDT",
                quotePrecision: 8,
                quoteOrderQtyMarketAllowed: true,
                filters: [
                  { filterType: "LOT_SIZE", minQty: "0.00001000", maxQty: "9000.00000000", stepSize: "0.00000001" },
                  { filterType: "MARKET_LOT_SIZE", minQty: "0.00000000", stepSize: "0.00000002" },
                  { filterType: "NOTIONAL", minNotional: "5.00000000" }
                ]
              },
              {
                symbol: "BTCDOGE",
                status: "TRADING",
                baseAsset: "BTC",
                quoteAsset: "DOGE",
                quotePrecision: 8,
                quoteOrderQtyMarketAllowed: true,
                filters: []
              }
            ]
          })
        case "GET /api/v3/ticker/bookTicker":
          return ok([{ symbol, bidPrice: book.price ?? "0.00000000", askPrice: book.price ?? "0.00000000" }])
        case "GET /api/v3/account/commission": {
          if (book.feesForbidden) return { status: 400, body: { code: -2015, msg: "Invalid permissions for action." } }
          const none = { maker: "0.00000000", taker: "0.00000000", buyer: "0.00000000", seller: "0.00000000" }
          return ok({
            symbol: of("symbol"),
            standardCommission: { ...none, ...(book.taker === null ? { taker: "" } : { taker: book.taker }) },
            taxCommission: none,
            discount: { enabledForAccount: true, discountAsset: "BNB", discount: "0.75000000" }
          })
        }
        case "GET /api/v3/account":
          return ok({
            balances: [...book.balances].map(([asset, free]) => ({ asset, free: textOf(free), locked: "0" }))
          })
        case "GET /sapi/v1/capital/config/getall":
          return ok([
            {
              coin: "USDT",
              networkList: [
                { network: "ETH", withdrawEnable: true, withdrawFee: "4" },
                { network: "TRX", withdrawEnable: true, withdrawFee: textOf(book.fee) }
              ]
            }
          ])
        case "POST /sapi/v1/capital/withdraw/apply": {
          const row = book.withdraw(
            {
              clientId: of("withdrawOrderId"),
              coin: of("coin"),
              network: of("network"),
              address: of("address"),
              memo: params.get("addressTag"),
              gross: unitsOf(of("amount")),
              fee: book.fee
            },
            outcome
          )
          return ok({ id: row.id })
        }
        case "GET /sapi/v1/capital/withdraw/history": {
          const tooLong = Number(of("endTime")) - Number(of("startTime")) > 7 * 86_400_000
          if (tooLong) return { status: 400, body: { code: -4047, msg: "Time interval must be within 0-7 days" } }
          const rows = book.withdrawals.filter(
            ({ at, clientId }) =>
              clientId === of("withdrawOrderId") && at >= Number(of("startTime")) && at <= Number(of("endTime"))
          )
          return ok(
            rows.map((row) => ({
              id: row.id,
              amount: textOf(row.gross - row.fee),
              transactionFee: textOf(row.fee),
              coin: row.coin,
              status: withdrawalState[row.state],
              address: row.address,
              ...(row.txHash === null ? {} : { txId: row.txHash }),
              network: row.network,
              withdrawOrderId: row.clientId,
              applyTime: "2026-01-01 00:00:00"
            }))
          )
        }
        case "POST /api/v3/order": {
          const side = of("side") === "BUY" ? "buy" : "sell"
          const amount = unitsOf(of(side === "buy" ? "quoteOrderQty" : "quantity"))
          const row = book.order({ clientId: of("newClientOrderId"), side, amount }, outcome)
          return ok({ symbol, orderId: Number(row.id), clientOrderId: row.clientId })
        }
        case "GET /api/v3/order": {
          const row = book.orders.find(({ clientId }) => clientId === of("origClientOrderId"))
          if (row === undefined) return { status: 400, body: { code: -2013, msg: "Order does not exist." } }
          const { cost, size } = book.filled(row)
          return ok({
            symbol,
            orderId: Number(row.id),
            clientOrderId: row.clientId,
            status: orderState[row.state],
            executedQty: textOf(size),
            cummulativeQuoteQty: textOf(cost)
          })
        }
        case "GET /api/v3/myTrades":
          return ok(
            book.orders
              .filter(({ id }) => id === of("orderId"))
              .flatMap((row) =>
                book.listed(row).map(({ cost, fee, feeCoin, id, size }) => ({
                  symbol,
                  id: Number(id),
                  qty: textOf(size),
                  quoteQty: textOf(cost),
                  commission: textOf(fee),
                  commissionAsset: feeCoin
                }))
              )
          )
        default:
          return undefined
      }
    }
  }
}
