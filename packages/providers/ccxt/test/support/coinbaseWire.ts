import { Redacted, Schema } from "effect"
import { generateKeyPairSync, verify } from "node:crypto"
import { Book, type BookWithdrawal, textOf, unitsOf } from "./Book.ts"
import { ok, type Wire, type WireReply } from "./Wire.ts"

const key = "organizations/one/apiKeys/two"

const error = (status: number, id: string, message: string): WireReply => ({
  status,
  body: { errors: [{ id, message }] }
})

const states = { open: "OPEN", done: "FILLED", cancelled: "CANCELLED" } as const

const Send = Schema.Struct({
  type: Schema.Literal("send"),
  to: Schema.String,
  amount: Schema.String,
  currency: Schema.String,
  network: Schema.String,
  idem: Schema.String.check(Schema.isPattern(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u)),
  destination_tag: Schema.optionalKey(Schema.String)
})

const Order = Schema.Struct({
  client_order_id: Schema.String,
  product_id: Schema.String,
  side: Schema.Literals(["BUY", "SELL"]),
  order_configuration: Schema.Struct({
    market_market_ioc: Schema.Struct({
      quote_size: Schema.optionalKey(Schema.String),
      base_size: Schema.optionalKey(Schema.String)
    })
  })
})

const pageSize = 2

/** coinbase: a token signed with ES256 that names the method and the URL; sends are idempotent by a token of version 4. */
export const coinbaseWire = (): Wire => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const book = new Book("USDC", "cb-")
  const row = (withdrawal: BookWithdrawal) => ({
    id: withdrawal.id,
    type: "send",
    status: { pending: "pending", done: "completed", failed: "failed" }[withdrawal.state],
    amount: { amount: textOf(-withdrawal.gross), currency: withdrawal.coin },
    created_at: new Date(withdrawal.at).toISOString(),
    idem: withdrawal.clientId,
    to: { resource: "address", address: withdrawal.address },
    network: {
      status: "pending",
      network_name: withdrawal.network,
      ...(withdrawal.txHash === null ? {} : { hash: withdrawal.txHash }),
      transaction_fee: { amount: textOf(withdrawal.fee), currency: withdrawal.coin },
      transaction_amount: { amount: textOf(withdrawal.gross - withdrawal.fee), currency: withdrawal.coin }
    }
  })
  return {
    name: "coinbase",
    credentials: {
      apiKey: Redacted.make(key),
      secret: Redacted.make(privateKey.export({ type: "sec1", format: "pem" }).toString())
    },
    book,
    gives: ({ method, path }) =>
      method !== "POST"
        ? undefined
        : path.endsWith("/transactions")
          ? "withdrawal"
          : path === "/api/v3/brokerage/orders"
            ? "conversion"
            : undefined,
    denies: ({ headers, method, origin, path }) => {
      if (path === "/api/v3/brokerage/market/products") return undefined
      const [head = "", claims = "", signature = ""] = String(headers.authorization).replace("Bearer ", "").split(".")
      const valid = verify(
        "sha256",
        Buffer.from(`${head}.${claims}`),
        { key: publicKey, dsaEncoding: "ieee-p1363" },
        Buffer.from(signature, "base64url")
      )
      const told: unknown = valid ? JSON.parse(Buffer.from(claims, "base64url").toString()) : {}
      const wanted = { sub: key, uri: `${method} ${origin}${path}` }
      const right = Object.entries(wanted).every(([name, value]) => Object(told)[name] === value)
      return right ? undefined : error(401, "authentication_error", "invalid token")
    },
    denial: ({ denial }) =>
      denial === "insufficient"
        ? error(400, "validation_error", "You don't have that much.")
        : ok({
            success: false,
            error_response: { error: "UNKNOWN_FAILURE_REASON", preview_failure_reason: "DUPLICATE" }
          }),
    answer: ({ body, method, path, query }, outcome) => {
      const account = /^\/v2\/accounts\/account-([A-Z]+)\/transactions(?:\/(.+))?$/u.exec(path)
      if (account !== null) {
        const [, coin = "", id] = account
        if (method === "POST") {
          const send = Schema.decodeUnknownSync(Send)(JSON.parse(body))
          const known = book.withdrawals.find(({ clientId }) => clientId === send.idem)
          const withdrawal =
            known ??
            book.withdraw(
              {
                clientId: send.idem,
                coin,
                network: send.network,
                address: send.to,
                memo: send.destination_tag ?? null,
                gross: unitsOf(send.amount) + book.fee,
                fee: book.fee
              },
              outcome
            )
          return { status: 201, body: { data: row(withdrawal) } }
        }
        if (id !== undefined) {
          const withdrawal = book.withdrawals.find((one) => one.id === id && one.coin === coin)
          return withdrawal === undefined ? error(404, "not_found", "Not found") : ok({ data: row(withdrawal) })
        }
        const own = book.withdrawals.filter((one) => one.coin === coin)
        const from = own.findIndex((one) => one.id === query.get("starting_after")) + 1
        const page = own.slice(from, from + pageSize)
        const next = from + pageSize < own.length ? (page.at(-1)?.id ?? null) : null
        return ok({ pagination: { next_starting_after: next, limit: pageSize }, data: page.map(row) })
      }
      switch (`${method} ${path}`) {
        case "GET /api/v3/brokerage/market/products": {
          const product = {
            base_currency_id: "BTC",
            base_increment: "0.00000001",
            quote_increment: "0.01",
            base_min_size: "0.00000001",
            quote_min_size: "1",
            is_disabled: false,
            trading_disabled: false
          }
          return ok({
            products: [
              { ...product, product_id: "BTC-USDC", quote_currency_id: "USDC" },
              { ...product, product_id: "BTC-USD", quote_currency_id: "USD" }
            ]
          })
        }
        case "GET /api/v3/brokerage/transaction_summary":
          return book.feesForbidden
            ? error(403, "permission_error", "forbidden")
            : ok({ total_volume: 0, fee_tier: { pricing_tier: "Advanced 1", taker_fee_rate: book.taker ?? "" } })
        case "GET /api/v3/brokerage/best_bid_ask": {
          const offers = book.price === null ? [] : [{ price: book.price, size: "1" }]
          return ok({
            pricebooks: query.getAll("product_ids").map((product_id) => ({
              product_id,
              bids: offers,
              asks: offers,
              time: new Date(Date.now() - book.age).toISOString()
            }))
          })
        }
        case "GET /api/v3/brokerage/accounts": {
          const accounts = [...book.balances].map(([currency, units]) => ({
            uuid: `account-${currency}`,
            currency,
            available_balance: { value: textOf(units), currency },
            hold: { value: "0", currency }
          }))
          const second = query.get("cursor") === "second"
          return ok({
            accounts: second ? accounts.slice(1) : accounts.slice(0, 1),
            has_next: !second,
            cursor: "second"
          })
        }
        case "POST /api/v3/brokerage/orders": {
          const order = Schema.decodeUnknownSync(Order)(JSON.parse(body))
          const { base_size, quote_size } = order.order_configuration.market_market_ioc
          const side = order.side === "BUY" ? "buy" : "sell"
          const amount = unitsOf((side === "buy" ? quote_size : base_size) ?? "0")
          const coin = side === "buy" ? "USDC" : "BTC"
          if ((book.balances.get(coin) ?? 0n) < amount) {
            return ok({
              success: false,
              error_response: { error: "INSUFFICIENT_FUND", message: "Insufficient balance" }
            })
          }
          const taken = book.order({ clientId: order.client_order_id, side, amount }, outcome)
          return ok({ success: true, success_response: { order_id: taken.id, client_order_id: taken.clientId } })
        }
        case "GET /api/v3/brokerage/orders/historical/batch": {
          const since = Date.parse(query.get("start_date") ?? "")
          const own = book.orders.filter(({ at }) => at >= since)
          const from = Number(query.get("cursor") ?? "0")
          return ok({
            orders: own.slice(from, from + pageSize).map((one) => {
              const { cost, fee, size } = book.filled(one)
              return {
                order_id: one.id,
                client_order_id: one.clientId,
                status: states[one.state],
                settled: states[one.state] === "FILLED",
                filled_size: textOf(one.side === "buy" && book.feeFrom === "received" ? size - fee : size),
                filled_value: textOf(cost),
                total_value_after_fees: textOf(
                  one.side === "sell" ? cost - fee : book.feeFrom === "source" ? cost + fee : cost
                ),
                reject_message: ""
              }
            }),
            has_next: from + pageSize < own.length,
            cursor: String(from + pageSize)
          })
        }
        default:
          return undefined
      }
    }
  }
}
