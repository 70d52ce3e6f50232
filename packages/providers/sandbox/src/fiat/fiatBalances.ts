import { parse } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { Clock, Effect, Result } from "effect"
import type { StoredState } from "../store/openState.ts"
import { accountCurrencies } from "./accountDetails.ts"
import type { FiatState, TransferRow } from "./FiatState.ts"
import { transferAt } from "./transfers.ts"

/** What a transfer has moved by now: what went out and is not back, or what came in. */
const movedBy = (row: TransferRow, now: number, stepMs: number) => {
  const state = transferAt(row, now, stepMs)
  const incoming = row.kind === "ON_RAMP"
  const gone = state?.status === "SENT" || state?.status === "SETTLED" || state?.status === "RETURNED"
  if (state === undefined || !gone || (incoming && state.status === "SENT")) return []
  const back = state.returned?.units ?? 0n
  return incoming
    ? [{ currency: row.receivedCurrency, units: row.receivedUnits - back }]
    : [{ currency: row.currency, units: back - row.units }]
}

/** What the provider holds for the service now. */
export const fiatBalances = (
  state: StoredState<FiatState>,
  {
    currencies,
    stepMs,
    stock
  }: {
    readonly currencies: CurrencyTable
    readonly stepMs: number
    readonly stock: Readonly<Record<string, string>>
  }
): Effect.Effect<ReadonlyMap<string, bigint>> =>
  Effect.gen(function* () {
    const { arrivals, transfers } = yield* state.get
    const now = yield* Clock.currentTimeMillis
    const began = accountCurrencies.map((code) => {
      const currency = currencies.byCode(code)
      const parsed = currency === undefined ? undefined : Result.getOrUndefined(parse(stock[code] ?? "", currency))
      return [code, parsed?.units ?? 0n] as const
    })
    const balances = new Map<string, bigint>(began)
    const moves = [...arrivals, ...Object.values(transfers).flatMap((row) => movedBy(row, now, stepMs))]
    for (const { currency, units } of moves) balances.set(currency, (balances.get(currency) ?? 0n) + units)
    return balances
  })
