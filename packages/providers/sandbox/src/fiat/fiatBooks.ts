import { parse } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { ReadStatement, ToldLine } from "@bursar/core/port/ProviderStatement"
import { Clock, Effect, Result } from "effect"
import { linesBetween } from "../store/LineRow.ts"
import type { StoredState } from "../store/openState.ts"
import { accountCurrencies } from "./accountDetails.ts"
import type { FiatState, TransferRow } from "./FiatState.ts"
import { courseOf } from "./TransferOutcome.ts"
import { transferAt } from "./transfers.ts"

/** When a transfer comes to a status on its course; undefined where it never does. */
const cameTo = ({ kind, outcome, since }: TransferRow, status: string, stepMs: number): number | undefined => {
  const step = courseOf(kind, outcome).findIndex((one) => one === status)
  return step < 0 ? undefined : since + step * stepMs
}

/** When the money of a transfer leaves, or comes for one that is to come in; undefined where it does not. */
export const movesAt = (row: TransferRow, stepMs: number): number | undefined =>
  row.goneAt ?? cameTo(row, row.kind === "ON_RAMP" ? "SETTLED" : "SENT", stepMs)

const linesOf = (reference: string, row: TransferRow, stepMs: number): ReadonlyArray<ToldLine> => {
  const movedAt = movesAt(row, stepMs)
  if (movedAt === undefined) return []
  const isIncoming = row.kind === "ON_RAMP"
  const moved = isIncoming
    ? { currency: row.receivedCurrency, units: row.receivedUnits }
    : { currency: row.currency, units: -row.units }
  // one that has failed after its money had left has it back
  const returnedAt = cameTo(row, "RETURNED", stepMs) ?? cameTo(row, "FAILED", stepMs)
  const returned = transferAt(row, Number.MAX_SAFE_INTEGER, stepMs)?.returned?.units ?? row.units
  const back = returnedAt === undefined ? 0n : returned
  const common = { currency: moved.currency, references: [row.id, reference] }
  const lines = [
    { ...common, id: row.id, at: movedAt, units: moved.units, text: row.kind },
    { ...common, id: `${row.id}_back`, at: returnedAt ?? movedAt, units: isIncoming ? -back : back, text: "returned" }
  ]
  return lines.filter(({ units }) => units !== 0n)
}

/** The provider's own books up to now: what arrived, what transfers have moved, and what it booked of its own accord. */
const booksAt = (
  { arrivals, booked = [], transfers }: FiatState,
  now: number,
  stepMs: number
): ReadonlyArray<ToldLine> => [
  ...arrivals.map(({ at, currency, description, id, units }) => ({
    id,
    at,
    currency,
    units,
    references: [id],
    text: description
  })),
  ...Object.entries(transfers)
    .flatMap(([reference, row]) => linesOf(reference, row, stepMs))
    .filter(({ at }) => at <= now),
  ...booked
]

/** How the provider's books are kept. */
export interface FiatBooksOptions {
  readonly currencies: CurrencyTable
  readonly stepMs: number
  readonly stock: Readonly<Record<string, string>>
}

/** What the provider holds for the service now. */
export const fiatBalances = (
  state: StoredState<FiatState>,
  { currencies, stepMs, stock }: FiatBooksOptions
): Effect.Effect<ReadonlyMap<string, bigint>> =>
  Effect.gen(function* () {
    const began = accountCurrencies.map((code) => {
      const currency = currencies.byCode(code)
      const parsed = currency === undefined ? undefined : Result.getOrUndefined(parse(stock[code] ?? "", currency))
      return [code, parsed?.units ?? 0n] as const
    })
    const balances = new Map<string, bigint>(began)
    for (const { currency, units } of booksAt(yield* state.get, yield* Clock.currentTimeMillis, stepMs))
      balances.set(currency, (balances.get(currency) ?? 0n) + units)
    return balances
  })

/** The provider's own books, line by line. */
export const fiatStatement =
  (state: StoredState<FiatState>, { stepMs }: Pick<FiatBooksOptions, "stepMs">): ReadStatement =>
  (since, until) =>
    Effect.gen(function* () {
      return linesBetween(booksAt(yield* state.get, yield* Clock.currentTimeMillis, stepMs), since, until)
    })
