import type { OrderKind, OrderOutcome } from "@bursar/testkit/suites/custodian/CustodianWorld"

const decimals = 18

/** A decimal text in units of 10^-18. */
export const unitsOf = (text: string): bigint => {
  const [whole = "0", fraction = ""] = text.split(".")
  return BigInt(whole + fraction.padEnd(decimals, "0"))
}

/** The shortest decimal text. */
export const textOf = (units: bigint): string => {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, "0")
  const fraction = digits.slice(-decimals).replace(/0+$/u, "")
  return `${units < 0n ? "-" : ""}${digits.slice(0, -decimals)}${fraction === "" ? "" : `.${fraction}`}`
}

const times = (left: bigint, right: bigint) => (left * right) / 10n ** BigInt(decimals)
const over = (left: bigint, right: bigint) => (left * 10n ** BigInt(decimals)) / right

/** Why an exchange says no. */
export type Denial = "insufficient" | "duplicate" | "invalid"

/** An exchange says no. */
export class Denied extends Error {
  readonly denial: Denial
  constructor(denial: Denial) {
    super(denial)
    this.denial = denial
  }
}

/** A withdrawal in an exchange's books. `gross` is what leaves the account. */
export interface BookWithdrawal {
  readonly id: string
  readonly clientId: string | null
  readonly coin: string
  readonly network: string
  readonly address: string
  readonly memo: string | null
  readonly gross: bigint
  readonly fee: bigint
  readonly at: number
  state: "pending" | "done" | "failed"
  txHash: string | null
  readonly ends: "done" | "failed"
}

/** One trade of an order. */
export interface Fill {
  readonly id: string
  readonly size: bigint
  readonly price: bigint
  readonly cost: bigint
  readonly fee: bigint
  readonly feeCoin: string
}

/** An order in an exchange's books. `amount` is of the base where it is sold, of the quote where it is spent. */
export interface BookOrder {
  readonly id: string
  readonly clientId: string
  readonly side: "buy" | "sell"
  readonly amount: bigint
  readonly at: number
  state: "open" | "done" | "cancelled"
  readonly fills: Array<Fill>
  readonly ends: "done" | "cancelled" | "partial"
}

/** What an exchange has written down; each wire format shows it in its own words. */
export class Book {
  readonly quote: string
  readonly prefix: string
  readonly balances: Map<string, bigint>
  readonly withdrawals: Array<BookWithdrawal> = []
  readonly orders: Array<BookOrder> = []
  readonly script: Record<OrderKind, Array<OrderOutcome>> = { withdrawal: [], conversion: [] }
  /** Of one BTC in the quote; null where nobody offers any. */
  price: string | null = "50000"
  /** How old it says that its offers are, in milliseconds. */
  age = 0
  silent = false
  /** Whether everything is answered with an error of the server. */
  failing = false
  /** A trade that the lists do not show yet. */
  hidden: string | null = null
  readonly fee = unitsOf("1.5")
  /** The share that it says it takes of a trade, and takes; null: it takes a thousandth and does not say so. */
  taker: string | null = "0.001"
  /** The same as its markets publish it, where they do. */
  published: string | null = null
  /** Whether its fees are told apart from everything else that it answers, and refused. */
  feesForbidden = false
  /** From what a fee is taken: what was received, what was sold (on top of it), or a token. */
  feeFrom: "received" | "source" | "token" = "received"
  #next = 1

  constructor(quote: string, prefix: string) {
    this.quote = quote
    this.prefix = prefix
    this.balances = new Map([
      ["BTC", unitsOf("10.00000001")],
      [quote, unitsOf("1000000.000001")],
      ["BNB", unitsOf("7")]
    ])
  }

  id(): string {
    return `${this.prefix}${this.#next++}`
  }

  /** What becomes of the order that comes now. */
  outcome(kind: OrderKind): OrderOutcome {
    return this.script[kind].shift() ?? "settle"
  }

  move(coin: string, units: bigint): void {
    const held = this.balances.get(coin) ?? 0n
    if (held + units < 0n) throw new Denied("insufficient")
    this.balances.set(coin, held + units)
  }

  withdraw(order: Omit<BookWithdrawal, "id" | "at" | "state" | "txHash" | "ends">, outcome: string): BookWithdrawal {
    if (order.clientId !== null && this.withdrawals.some(({ clientId }) => clientId === order.clientId)) {
      throw new Denied("duplicate")
    }
    this.move(order.coin, -order.gross)
    const ends = outcome.endsWith("fail") ? "failed" : "done"
    const row: BookWithdrawal = { ...order, id: this.id(), at: Date.now(), state: "pending", txHash: null, ends }
    this.withdrawals.unshift(row)
    return row
  }

  order(order: Pick<BookOrder, "clientId" | "side" | "amount">, outcome: string): BookOrder {
    if (this.orders.some(({ clientId }) => clientId === order.clientId)) throw new Denied("duplicate")
    this.move(order.side === "sell" ? "BTC" : this.quote, -order.amount)
    const ends = outcome === "partial" ? "partial" : outcome.endsWith("fail") ? "cancelled" : "done"
    const row: BookOrder = { ...order, id: this.id(), at: Date.now(), state: "open", fills: [], ends }
    this.orders.unshift(row)
    return row
  }

  /** Everything that was taken comes to its end. An order is filled in two trades. */
  finish(): void {
    for (const row of this.withdrawals.filter(({ state }) => state === "pending")) {
      row.state = row.ends
      if (row.ends === "done") row.txHash = `tx-${row.id}`
      else this.move(row.coin, row.gross)
    }
    for (const row of this.orders.filter(({ state }) => state === "open")) {
      row.state = row.ends === "done" ? "done" : "cancelled"
      const from = row.side === "sell" ? "BTC" : this.quote
      const used = row.ends === "done" ? row.amount : row.ends === "partial" ? row.amount / 2n : 0n
      this.move(from, row.amount - used)
      if (used === 0n) continue
      const price = unitsOf(this.price ?? "50000")
      for (const part of [used / 2n, used - used / 2n]) {
        const size = row.side === "sell" ? part : over(part, price)
        const cost = row.side === "sell" ? times(part, price) : part
        const got = row.side === "sell" ? cost : size
        const to = row.side === "sell" ? this.quote : "BTC"
        const feeCoin = { received: to, source: from, token: "BNB" }[this.feeFrom]
        const of = { received: got, source: part, token: unitsOf("20") }[this.feeFrom]
        const fee = times(of, unitsOf(this.taker ?? "0.001"))
        row.fills.push({ id: this.id(), size, price, cost, fee, feeCoin })
        this.move(to, got)
        this.move(feeCoin, -fee)
      }
    }
  }

  /** The trades of an order that the lists show. */
  listed({ fills }: BookOrder): ReadonlyArray<Fill> {
    return fills.filter(({ id }) => id !== this.hidden)
  }

  filled(row: BookOrder): { readonly size: bigint; readonly cost: bigint; readonly fee: bigint } {
    return row.fills.reduce(
      (sum, fill) => ({ size: sum.size + fill.size, cost: sum.cost + fill.cost, fee: sum.fee + fill.fee }),
      { size: 0n, cost: 0n, fee: 0n }
    )
  }
}
