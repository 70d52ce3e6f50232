import { Schema } from "effect"
import { LineRow } from "../store/LineRow.ts"
import { TransferOutcome } from "./TransferOutcome.ts"

const Units = Schema.BigIntFromString

/** An account that was opened. Its details follow from its id. */
export const AccountRow = Schema.Struct({
  id: Schema.String,
  customer: Schema.String,
  currency: Schema.String,
  openedAt: Schema.Finite,
  /** What the controls have said it is; null where time decides. */
  status: Schema.NullOr(Schema.Literals(["PENDING", "ACTIVE", "REJECTED", "SUSPENDED", "CLOSED"]))
})

/** An account that was opened. */
export type AccountRow = typeof AccountRow.Type

/** Money that arrived on an account. */
export const ArrivalRow = Schema.Struct({
  id: Schema.String,
  account: Schema.String,
  units: Units,
  currency: Schema.String,
  description: Schema.String,
  at: Schema.Finite
})

/** Money that arrived on an account. */
export type ArrivalRow = typeof ArrivalRow.Type

/** A transfer that was taken, at the rate of that moment. */
export const TransferRow = Schema.Struct({
  id: Schema.String,
  kind: Schema.Literals(["OFF_RAMP", "BANK_TRANSFER", "REFUND", "ON_RAMP"]),
  units: Units,
  currency: Schema.String,
  receivedUnits: Units,
  receivedCurrency: Schema.String,
  outcome: TransferOutcome,
  /** How much came back, in base units; absent where all of it does. */
  returnedUnits: Schema.optionalKey(Units),
  /** Whether the order's answer was lost. */
  lost: Schema.Boolean,
  /** When the course of its outcome began. */
  since: Schema.Finite,
  /** When its money had left, where it was told to take another course after that. */
  goneAt: Schema.optionalKey(Schema.Finite)
})

/** A transfer that was taken. */
export type TransferRow = typeof TransferRow.Type

/** What the fiat provider of the sandbox keeps: no word of anybody's identity or bank account. */
export const FiatState = Schema.Struct({
  /** The provider's ids of customers, by our reference. */
  customers: Schema.Record(Schema.String, Schema.String),
  /** By our reference. */
  accounts: Schema.Record(Schema.String, AccountRow),
  /** The oldest first. */
  arrivals: Schema.Array(ArrivalRow),
  /** By our reference. */
  transfers: Schema.Record(Schema.String, TransferRow),
  /** What it has booked of its own accord. Absent where it was kept before that could be. */
  booked: Schema.optionalKey(Schema.Array(LineRow)),
  /** What becomes of the next transfers. */
  script: Schema.Array(TransferOutcome)
})

/** What the fiat provider of the sandbox keeps. */
export type FiatState = typeof FiatState.Type

/** Nothing has happened. */
export const initial: FiatState = { customers: {}, accounts: {}, arrivals: [], transfers: {}, script: [] }
