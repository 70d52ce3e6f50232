import { Redacted } from "effect"
import { createHmac } from "node:crypto"
import { Book, textOf, unitsOf } from "./Book.ts"
import { ok, type Wire, type WireReply } from "./Wire.ts"

const key = "bitget-key"
const secret = "bitget-secret"
const passphrase = "bitget-passphrase"

const data = (value: unknown): WireReply => ok({ code: "00000", msg: "success", requestTime: Date.now(), data: value })
const error = (status: number, code: string, msg: string): WireReply => ({
  status,
  body: { code, msg, requestTime: Date.now(), data: null }
})

const states = { open: "live", done: "filled", cancelled: "cancelled" } as const

/** bitget: HMAC-SHA256 in base64 over timestamp, method, path with query, and body; a passphrase. */
export const bitgetWire = (): Wire => {
  const book = new Book("USDT", "11")
  const symbol = "BTCUSDT"
  return {
    name: "bitget",
    credentials: {
      apiKey: Redacted.make(key),
      secret: Redacted.make(secret),
      passphrase: Redacted.make(passphrase)
    },
    book,
    gives: ({ path }) =>
      path === "/api/v2/spot/wallet/withdrawal"
        ? "withdrawal"
        : path === "/api/v2/spot/trade/place-order"
          ? "conversion"
          : undefined,
    denies: ({ body, headers, method, path, search }) => {
      if (path.startsWith("/api/v2/spot/public/") || path === "/api/v2/spot/market/tickers") return undefined
      const at = String(headers["access-timestamp"])
      const right = createHmac("sha256", secret)
        .update(at + method + path + decodeURIComponent(search) + body)
        .digest("base64")
      const valid =
        headers["access-sign"] === right &&
        headers["access-key"] === key &&
        headers["access-passphrase"] === passphrase &&
        Math.abs(Date.now() - Number(at)) < 30_000
      return valid ? undefined : error(401, "40009", "sign signature error")
    },
    denial: ({ denial }) =>
      denial === "insufficient"
        ? error(400, "43012", "Insufficient balance")
        : denial === "duplicate"
          ? error(400, "40786", "Duplicate clientOid")
          : error(400, "47003", "Withdraw address is not in addressBook"),
    answer: ({ body, method, path, query }, outcome) => {
      const of = (name: string): string => {
        const json: Record<string, string> = method === "POST" ? JSON.parse(body) : Object.fromEntries(query)
        return json[name] ?? ""
      }
      switch (`${method} ${path}`) {
        case "GET /api/v2/spot/public/symbols":
          return data([
            {
              symbol,
              baseCoin: "BTC",
              quoteCoin: "USDT",
              quantityPrecision: "8",
              quotePrecision: "5",
              pricePrecision: "2",
              minTradeAmount: "0",
              minTradeUSDT: "1",
              ...(book.published === null ? {} : { takerFeeRate: book.published }),
              status: "online"
            }
          ])
        case "GET /api/v2/common/trade-rate":
          return book.feesForbidden
            ? { status: 400, body: { code: "40014", msg: "Incorrect permissions" } }
            : data({ makerFeeRate: book.taker ?? "", takerFeeRate: book.taker ?? "" })
        case "GET /api/v2/spot/public/coins":
          return data([
            {
              coin: "USDT",
              chains: [
                { chain: "ERC20", withdrawable: "true", withdrawFee: "4", minWithdrawAmount: "5" },
                { chain: "TRC20", withdrawable: "true", withdrawFee: textOf(book.fee), minWithdrawAmount: "5" }
              ]
            }
          ])
        case "GET /api/v2/spot/market/tickers":
          return data([{ symbol, bidPr: book.price ?? "", askPr: book.price ?? "", ts: String(Date.now() - book.age) }])
        case "GET /api/v2/spot/account/assets":
          return data(
            [...book.balances].map(([coin, units]) => ({ coin, available: textOf(units), frozen: "0", locked: "0" }))
          )
        case "POST /api/v2/spot/wallet/withdrawal": {
          const row = book.withdraw(
            {
              clientId: of("clientOid"),
              coin: of("coin"),
              network: of("chain"),
              address: of("address"),
              memo: of("tag") === "" ? null : of("tag"),
              gross: unitsOf(of("size")),
              fee: book.fee
            },
            outcome
          )
          return data({ orderId: row.id, clientOid: row.clientId })
        }
        case "GET /api/v2/spot/wallet/withdrawal-records": {
          const rows = book.withdrawals.filter(
            ({ at, clientId }) =>
              clientId === of("clientOid") && at >= Number(of("startTime")) && at <= Number(of("endTime"))
          )
          return data(
            rows.length === 0
              ? null
              : rows.map((row) => ({
                  orderId: row.id,
                  clientOid: row.clientId,
                  tradeId: row.txHash,
                  coin: row.coin,
                  type: "withdraw",
                  size: textOf(row.gross),
                  fee: textOf(-row.fee),
                  status: { pending: "pending", done: "success", failed: "fail" }[row.state],
                  toAddress: row.address,
                  dest: "on_chain",
                  chain: row.network
                }))
          )
        }
        case "POST /api/v2/spot/trade/place-order": {
          const side = of("side") === "buy" ? "buy" : "sell"
          const row = book.order({ clientId: of("clientOid"), side, amount: unitsOf(of("size")) }, outcome)
          return data({ orderId: row.id, clientOid: row.clientId })
        }
        case "GET /api/v2/spot/trade/orderInfo": {
          const row = book.orders.find(({ clientId }) => clientId === of("clientOid"))
          if (row === undefined) return data([])
          const { cost, size } = book.filled(row)
          return data([
            {
              symbol,
              orderId: row.id,
              clientOid: row.clientId,
              status: states[row.state],
              baseVolume: textOf(size),
              quoteVolume: textOf(cost)
            }
          ])
        }
        case "GET /api/v2/spot/trade/fills":
          return data(
            book.orders
              .filter(({ id }) => id === of("orderId"))
              .flatMap((row) =>
                book.listed(row).map((fill) => ({
                  symbol,
                  orderId: row.id,
                  tradeId: fill.id,
                  size: textOf(fill.size),
                  amount: textOf(fill.cost),
                  priceAvg: textOf(fill.price),
                  feeDetail: {
                    deduction: "no",
                    feeCoin: fill.feeCoin,
                    totalFee: textOf(-fill.fee)
                  }
                }))
              )
          )
        default:
          return undefined
      }
    }
  }
}
