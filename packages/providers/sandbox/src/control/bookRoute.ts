import { parse } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { Clock, Effect, Result, Schema } from "effect"
import type { LineWords } from "../store/LineRow.ts"
import { ControlError, type ControlRoute, post } from "./ControlRoute.ts"

const Booking = Schema.Struct({
  currency: Schema.String,
  /** Below zero what is taken. */
  amount: Schema.String,
  reference: Schema.optionalKey(Schema.String),
  text: Schema.optionalKey(Schema.String)
})

/** What a provider is told to book. */
export interface OwnBooking {
  readonly currency: string
  readonly units: bigint
  readonly words: LineWords
}

const invalid = (message: string, hint: string) => new ControlError({ code: "invalid_request", message, hint })

/**
 * Lets a provider book something that the service knows nothing of: a fee that it never announced, a withdrawal once more, or a transfer
 * that comes back after a week. It says nothing of it but in its balance and its statement.
 */
export const bookRoute = (
  path: string,
  currencies: CurrencyTable,
  book: (booking: OwnBooking) => Effect.Effect<void, ControlError>
): ControlRoute =>
  post(path, Booking, ({ amount, currency: code, reference, text = "booked by hand" }) =>
    Effect.gen(function* () {
      const currency = currencies.byCode(code)
      if (currency === undefined)
        return yield* invalid(`there is no ${code}`, `There are ${currencies.all.map((one) => one.code).join(", ")}.`)
      const isTaken = amount.startsWith("-")
      const size = parse(isTaken ? amount.slice(1) : amount, currency)
      if (Result.isFailure(size))
        return yield* invalid(size.failure.message, "Give a decimal string, below zero to take.")
      const units = isTaken ? -size.success.units : size.success.units
      const words = { at: yield* Clock.currentTimeMillis, references: reference === undefined ? [] : [reference], text }
      yield* book({ currency: code, units, words })
      return { currency: code, amount }
    })
  )
