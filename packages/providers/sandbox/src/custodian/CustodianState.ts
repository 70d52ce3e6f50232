import type { CurrencyTable } from "@bursar/core/money/Currency"
import { parse } from "@bursar/core/money/Amount"
import { Result, Schema } from "effect"
import { LineRow, type LineWords, withLine } from "../store/LineRow.ts"
import { Outcome } from "./Outcome.ts"

const Units = Schema.BigIntFromString

const Common = {
  outcome: Outcome,
  currency: Schema.String,
  units: Units,
  /** Why it was given up; null while it was not. */
  reason: Schema.NullOr(Schema.String)
}

/** A withdrawal that was taken. */
export const WithdrawalRow = Schema.TaggedStruct("Withdrawal", {
  ...Common,
  network: Schema.String,
  address: Schema.String,
  memo: Schema.NullOr(Schema.String),
  feeUnits: Units,
  /** `paying` stands from before the payment until its answer: found at a start, it says that nobody knows. */
  stage: Schema.Literals(["taken", "paying", "paid", "failed"]),
  txHash: Schema.NullOr(Schema.String)
})

/** A withdrawal that was taken. */
export type WithdrawalRow = typeof WithdrawalRow.Type

/** A conversion that was taken, at the rate of that moment. */
export const ConversionRow = Schema.TaggedStruct("Conversion", {
  ...Common,
  to: Schema.String,
  receivedUnits: Units,
  stage: Schema.Literals(["taken", "failed"])
})

/** A conversion that was taken. */
export type ConversionRow = typeof ConversionRow.Type

/** An order that was taken. */
export type OrderRow = WithdrawalRow | ConversionRow

/** What the custodian of the sandbox keeps. */
export const CustodianState = Schema.Struct({
  /** What it holds beyond the stock it began with, by currency; below zero where it gave away some of that. */
  moved: Schema.Record(Schema.String, Units),
  /** Its own books, the oldest first. Absent where it was kept before there were any. */
  lines: Schema.optionalKey(Schema.Array(LineRow)),
  /** By our reference. */
  orders: Schema.Record(Schema.String, Schema.Union([WithdrawalRow, ConversionRow])),
  script: Schema.Struct({ withdrawal: Schema.Array(Outcome), conversion: Schema.Array(Outcome) })
})

/** What the custodian of the sandbox keeps. */
export type CustodianState = typeof CustodianState.Type

/** Nothing has happened. */
export const initial: CustodianState = { moved: {}, lines: [], orders: {}, script: { withdrawal: [], conversion: [] } }

/** What it holds of a currency, in base units, given what it began with. */
export type Holding = (state: CustodianState, code: string) => bigint

/** What it began with of a currency, in base units. */
export type Stock = (code: string) => bigint

/** So much of everything, in whole units, where nothing is said. */
const stockWhole = 1_000_000n

/** What it begins with of each currency: what is given, in whole units; a million of everything where nothing is given at all. */
export const stockOf =
  (currencies: CurrencyTable, given: Readonly<Record<string, string>> | undefined): Stock =>
  (code) => {
    const currency = currencies.byCode(code)
    if (currency === undefined) return 0n
    if (given === undefined) return stockWhole * 10n ** BigInt(currency.decimals)
    return Result.match(parse(given[code] ?? "", currency), { onSuccess: ({ units }) => units, onFailure: () => 0n })
  }

/** What it holds of a currency: what it began with, and what has moved since. */
export const holding =
  (stock: Stock): Holding =>
  (state, code) =>
    stock(code) + (state.moved[code] ?? 0n)

/** The same with an order in it. */
export const withOrder = (state: CustodianState, reference: string, row: OrderRow): CustodianState => ({
  ...state,
  orders: { ...state.orders, [reference]: row }
})

/** The same with so much more, or less, of a currency, and a line that says why. */
export const moving = (state: CustodianState, code: string, units: bigint, words: LineWords): CustodianState => ({
  ...state,
  lines: withLine(state.lines ?? [], code, units, words),
  moved: { ...state.moved, [code]: (state.moved[code] ?? 0n) + units }
})
