import { Redacted } from "effect"
import { createHmac } from "node:crypto"
import { Book, Denied, textOf, unitsOf } from "./Book.ts"
import { ok, type Wire, type WireReply } from "./Wire.ts"

const key = "okx-key"
const secret = "okx-secret"
const passphrase = "okx-passphrase"

const data = (rows: ReadonlyArray<unknown>): WireReply => ok({ code: "0", msg: "", data: rows })

const states = { open: "live", done: "filled", cancelled: "canceled" } as const

/**
 * okx: HMAC-SHA256 in base64 over timestamp, method, path with query, and body; a passphrase; two accounts, of which the
 * funding account begins empty.
 */
export const okxWire = (): Wire => {
  const book = new Book("USDT", "9")
  const instId = "BTC-USDT"
  /** What of each balance lies in the funding account. */
  const funding = new Map<string, bigint>()
  const inFunding = (coin: string) => funding.get(coin) ?? 0n
  const inTrading = (coin: string) => (book.balances.get(coin) ?? 0n) - inFunding(coin)
  return {
    name: "okx",
    credentials: {
      apiKey: Redacted.make(key),
      secret: Redacted.make(secret),
      passphrase: Redacted.make(passphrase)
    },
    book,
    gives: ({ method, path }) =>
      method !== "POST"
        ? undefined
        : path === "/api/v5/asset/withdrawal"
          ? "withdrawal"
          : path === "/api/v5/trade/order"
            ? "conversion"
            : undefined,
    denies: ({ body, headers, method, path, search }) => {
      if (path.startsWith("/api/v5/public/") || path.startsWith("/api/v5/market/")) return undefined
      const at = String(headers["ok-access-timestamp"])
      const right = createHmac("sha256", secret)
        .update(at + method + path + search + body)
        .digest("base64")
      const valid =
        headers["ok-access-sign"] === right &&
        headers["ok-access-key"] === key &&
        headers["ok-access-passphrase"] === passphrase &&
        Math.abs(Date.now() - Date.parse(at)) < 30_000
      return valid ? undefined : { status: 401, body: { code: "50113", msg: "Invalid Sign", data: [] } }
    },
    denial: ({ denial }) =>
      denial === "insufficient"
        ? ok({ code: "1", msg: "", data: [{ sCode: "51008", sMsg: "Order failed. Insufficient balance." }] })
        : denial === "duplicate"
          ? ok({ code: "1", msg: "", data: [{ sCode: "51016", sMsg: "Client order ID already exists." }] })
          : ok({ code: "58207", msg: "Withdrawal failed due to address error", data: [] }),
    answer: ({ body, method, path, query }, outcome) => {
      const of = (name: string): string => {
        const json: Record<string, string> = method === "POST" ? JSON.parse(body) : Object.fromEntries(query)
        return json[name] ?? ""
      }
      switch (`${method} ${path}`) {
        case "GET /api/v5/account/trade-fee":
          return book.feesForbidden
            ? ok({ code: "50120", msg: "This API key doesn't have permission", data: [] })
            : data([{ instType: of("instType"), taker: book.taker === null ? "" : `-${book.taker}`, takerUSDC: "" }])
        case "GET /api/v5/public/instruments":
          return data([
            { instId, baseCcy: "BTC", quoteCcy: "USDT", lotSz: "0.00000002", minSz: "0.00001", state: "live" },
            { instId: "BTC-EUR", baseCcy: "BTC", quoteCcy: "EUR", lotSz: "1", minSz: "1", state: "suspend" }
          ])
        case "GET /api/v5/market/tickers":
          return data([
            {
              instId,
              instType: "SPOT",
              bidPx: book.price ?? "",
              askPx: book.price ?? "",
              ts: String(Date.now() - book.age)
            },
            { instId: "PEPE-USDT", instType: "SPOT", bidPx: "1e-7", askPx: "1e-7", ts: String(Date.now() - book.age) }
          ])
        case "GET /api/v5/asset/currencies":
          return data([
            { ccy: "USDT", chain: "USDT-ERC20", canWd: true, minFee: "4", fee: "4" },
            { ccy: "USDT", chain: "USDT-TRC20", canWd: true, minFee: textOf(book.fee), fee: textOf(book.fee) }
          ])
        case "GET /api/v5/asset/balances":
          return data([...funding].map(([ccy, bal]) => ({ ccy, bal: textOf(bal), availBal: textOf(bal) })))
        case "GET /api/v5/account/balance":
          return data([
            {
              details: [...book.balances.keys()].map((ccy) => ({
                ccy,
                cashBal: textOf(inTrading(ccy)),
                availBal: textOf(inTrading(ccy))
              }))
            }
          ])
        case "POST /api/v5/asset/transfer": {
          const units = of("to") === "6" ? unitsOf(of("amt")) : -unitsOf(of("amt"))
          funding.set(of("ccy"), inFunding(of("ccy")) + units)
          return data([{ transId: book.id(), ccy: of("ccy"), amt: of("amt") }])
        }
        case "POST /api/v5/asset/withdrawal": {
          const gross = unitsOf(of("amt")) + unitsOf(of("fee"))
          const known = book.withdrawals.some(({ clientId }) => clientId === of("clientId"))
          if (!known && inFunding(of("ccy")) < gross) throw new Denied("insufficient")
          const [address = "", memo = null] = of("toAddr").split(":")
          const row = book.withdraw(
            {
              clientId: of("clientId"),
              coin: of("ccy"),
              network: of("chain"),
              address,
              memo,
              gross,
              fee: unitsOf(of("fee"))
            },
            outcome
          )
          funding.set(of("ccy"), inFunding(of("ccy")) - gross)
          return data([{ wdId: row.id, ccy: of("ccy"), amt: of("amt"), clientId: row.clientId }])
        }
        case "GET /api/v5/asset/withdrawal-history":
          return data(
            book.withdrawals
              .filter(({ clientId }) => clientId === of("clientId"))
              .map((row) => ({
                wdId: row.id,
                clientId: row.clientId,
                ccy: row.coin,
                chain: row.network,
                amt: textOf(row.gross - row.fee),
                fee: `${textOf(row.fee)}usdt`,
                txId: row.txHash ?? "",
                to: row.address,
                state: { pending: "0", done: "2", failed: "-1" }[row.state],
                ts: String(row.at)
              }))
          )
        case "POST /api/v5/trade/order": {
          const side = of("side") === "buy" ? "buy" : "sell"
          if (of("tgtCcy") !== (side === "buy" ? "quote_ccy" : "base_ccy")) throw new Denied("invalid")
          const amount = unitsOf(of("sz"))
          const known = book.orders.some(({ clientId }) => clientId === of("clOrdId"))
          if (!known && inTrading(side === "buy" ? "USDT" : "BTC") < amount) throw new Denied("insufficient")
          const row = book.order({ clientId: of("clOrdId"), side, amount }, outcome)
          return data([{ ordId: row.id, clOrdId: row.clientId, sCode: "0", sMsg: "" }])
        }
        case "GET /api/v5/trade/order": {
          const row = book.orders.find(({ clientId }) => clientId === of("clOrdId"))
          if (row === undefined) return ok({ code: "51603", msg: "Order does not exist", data: [] })
          const { size } = book.filled(row)
          return data([
            { instId, ordId: row.id, clOrdId: row.clientId, state: states[row.state], accFillSz: textOf(size) }
          ])
        }
        case "GET /api/v5/trade/fills":
        case "GET /api/v5/trade/fills-history":
          return data(
            book.orders
              .filter(({ id }) => id === of("ordId"))
              .flatMap((row) =>
                book.listed(row).map((fill) => ({
                  instId,
                  ordId: row.id,
                  billId: fill.id,
                  tradeId: fill.id,
                  fillSz: textOf(fill.size),
                  fillPx: textOf(fill.price),
                  fee: textOf(-fill.fee),
                  feeCcy: fill.feeCoin
                }))
              )
          )
        default:
          return undefined
      }
    }
  }
}
