import { Redacted } from "effect"
import { createHash, createHmac } from "node:crypto"
import { Book, Denied, textOf, unitsOf } from "./Book.ts"
import { ok, type Wire, type WireReply } from "./Wire.ts"

const key = "kraken-key"
const secret = Buffer.from("a secret of kraken").toString("base64")

const result = (value: unknown): WireReply => ok({ error: [], result: value })
const error = (code: string): WireReply => ok({ error: [code] })

const assets: Readonly<Record<string, string>> = { BTC: "XXBT", USDT: "USDT" }
const coinOf = (asset: string | null) => (asset === "XBT" ? "BTC" : (asset ?? ""))

const pageSize = 2

/** kraken: HMAC-SHA512 in base64 over the path and the SHA-256 of nonce and form; nonces only rise; no reference of ours. */
export const krakenWire = (saved: ReadonlyArray<string>): Wire => {
  const book = new Book("USDT", "K")
  let lastNonce = 0
  const orderRows = (states: ReadonlyArray<string>, clientId: string | null) =>
    Object.fromEntries(
      book.orders
        .filter((row) => states.includes(row.state) && row.clientId === clientId)
        .map((row) => [
          row.id,
          {
            cl_ord_id: row.clientId,
            status: row.state === "open" ? "open" : row.state === "done" ? "closed" : "canceled",
            opentm: row.at / 1000,
            closetm: row.at / 1000,
            vol_exec: textOf(book.filled(row).size),
            reason: row.state === "cancelled" ? "Insufficient margin" : null,
            trades: row.fills.map(({ id }) => id)
          }
        ])
    )
  return {
    name: "kraken",
    credentials: { apiKey: Redacted.make(key), secret: Redacted.make(secret) },
    book,
    gives: ({ path }) =>
      path === "/0/private/Withdraw" ? "withdrawal" : path === "/0/private/AddOrder" ? "conversion" : undefined,
    denies: ({ body, headers, path }) => {
      if (path.startsWith("/0/public/")) return undefined
      const nonce = new URLSearchParams(body).get("nonce") ?? ""
      const hash = createHash("sha256")
        .update(nonce + body)
        .digest()
      const right = createHmac("sha512", Buffer.from(secret, "base64")).update(path).update(hash).digest("base64")
      if (headers["api-sign"] !== right || headers["api-key"] !== key) {
        return { status: 401, body: { error: ["EAPI:Invalid signature"] } }
      }
      if (Number(nonce) <= lastNonce) return { status: 401, body: { error: ["EAPI:Invalid nonce"] } }
      lastNonce = Number(nonce)
      return undefined
    },
    denial: ({ denial }) =>
      error(
        denial === "insufficient"
          ? "EFunding:Insufficient funds"
          : denial === "duplicate"
            ? "EGeneral:Invalid arguments:cl_ord_id already in use"
            : "EFunding:Invalid amount"
      ),
    answer: ({ body, method, path, query }, outcome) => {
      const params = method === "GET" ? query : new URLSearchParams(body)
      const of = (name: string) => params.get(name) ?? ""
      switch (path) {
        case "/0/public/AssetPairs": {
          const pair = { status: "online", lot_decimals: 8, cost_decimals: 5, pair_decimals: 1, costmin: "0.5" }
          return result({
            XBTUSDT: {
              ...pair,
              base: "XXBT",
              quote: "USDT",
              ordermin: "0.00005",
              ...(book.published === null ? {} : { fees: [[0, Number(book.published) * 100]] })
            },
            XXBTZUSD: { ...pair, base: "XXBT", quote: "ZUSD", ordermin: "0.00005" },
            XDGUSDT: { ...pair, base: "XXDG", quote: "USDT", ordermin: "10" },
            ETHUSDT: { ...pair, base: "XETH", quote: "USDT", status: "cancel_only", ordermin: "0.001" }
          })
        }
        case "/0/public/Ticker": {
          const { price } = book
          const offers = price === null ? ["0", "0", "0"] : [price, "1", "1.000"]
          return result(
            Object.fromEntries(
              of("pair")
                .split(",")
                .map((id) => [id, { a: offers, b: offers }])
            )
          )
        }
        case "/0/private/TradeVolume":
          return book.feesForbidden
            ? error("EGeneral:Permission denied")
            : result({
                currency: "ZUSD",
                ...(book.taker === null ? {} : { fees: { [of("pair")]: { fee: textOf(unitsOf(book.taker) * 100n) } } })
              })
        case "/0/private/BalanceEx":
          return result({
            ...Object.fromEntries(
              [...book.balances].map(([coin, units]) => [
                assets[coin] ?? coin,
                { balance: textOf(units), hold_trade: "0.0" }
              ])
            ),
            "XBT.F": { balance: "5.0", hold_trade: "0.0" }
          })
        case "/0/private/WithdrawMethods":
          return result([
            { asset: "USDT", method: "Tether USD (ERC20)", network: "Ethereum", minimum: "5", fee: { fee: "4" } },
            {
              asset: "USDT",
              method: "Tether USD (TRC20)",
              network: "Tron",
              minimum: "5",
              fee: { aclass: "currency", asset: "USDT", fee: textOf(book.fee) }
            }
          ])
        case "/0/private/WithdrawAddresses":
          return result(
            saved.flatMap((address, index) => [
              { address, asset: "USDT", method: "Tether USD (ERC20)", key: `eth ${index}`, verified: true },
              { address, asset: "USDT", method: "Tether USD (TRC20)", key: `tron ${index}`, verified: true }
            ])
          )
        case "/0/private/Withdraw": {
          const address = saved[Number(of("key").replace("tron ", ""))]
          if (address === undefined || address !== of("address")) return error("EFunding:Unknown withdraw key")
          const order = { clientId: null, coin: coinOf(params.get("asset")), network: "Tron", address, memo: null }
          const row = book.withdraw({ ...order, gross: unitsOf(of("amount")), fee: book.fee }, outcome)
          return result({ refid: row.id })
        }
        case "/0/private/WithdrawStatus": {
          const rows = book.withdrawals.filter(({ at }) => at / 1000 >= Number(of("start")))
          const from = of("cursor") === "true" ? 0 : Number(of("cursor"))
          const next = from + pageSize
          return result({
            withdrawals: rows.slice(from, next).map((row) => ({
              method: "Tether USD (TRC20)",
              network: "Tron",
              aclass: "currency",
              asset: "USDT",
              refid: row.id,
              txid: row.txHash,
              info: row.address,
              amount: textOf(row.gross - row.fee),
              fee: textOf(row.fee),
              time: Math.floor(row.at / 1000),
              status: { pending: "Pending", done: "Success", failed: "Failure" }[row.state]
            })),
            ...(next < rows.length ? { next_cursor: String(next) } : {})
          })
        }
        case "/0/private/AddOrder": {
          const side = of("type") === "buy" ? "buy" : "sell"
          if (of("oflags") !== (side === "buy" ? "viqc,fcib" : "fciq")) throw new Denied("invalid")
          const row = book.order({ clientId: of("cl_ord_id"), side, amount: unitsOf(of("volume")) }, outcome)
          return result({ descr: { order: "an order" }, txid: [row.id] })
        }
        case "/0/private/OpenOrders":
          return result({ open: orderRows(["open"], of("cl_ord_id")) })
        case "/0/private/ClosedOrders": {
          const closed = orderRows(["done", "cancelled"], of("cl_ord_id"))
          return result({ closed, count: Object.keys(closed).length })
        }
        case "/0/private/Ledgers": {
          const coin = coinOf(params.get("asset"))
          const entries = book.orders.flatMap((row) =>
            book.listed(row).map((fill) => {
              const receives = (row.side === "buy") === (coin === "BTC")
              const moved = coin === "BTC" ? fill.size : fill.cost
              return {
                refid: fill.id,
                type: "trade",
                asset: assets[coin] ?? coin,
                amount: textOf(receives ? moved : -moved),
                fee: textOf(fill.feeCoin === coin ? fill.fee : 0n)
              }
            })
          )
          const page = entries.slice(Number(of("ofs")), Number(of("ofs")) + pageSize)
          return result({
            ledger: Object.fromEntries(page.map((entry) => [`L-${entry.refid}`, entry])),
            count: entries.length
          })
        }
        default:
          return undefined
      }
    }
  }
}
