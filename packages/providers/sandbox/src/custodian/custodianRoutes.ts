import { format, parse } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { Clock, Effect, Result, Schema } from "effect"
import { bookRoute } from "../control/bookRoute.ts"
import { ControlError, type ControlRoute, get, post } from "../control/ControlRoute.ts"
import type { StoreError } from "../store/SandboxStore.ts"
import type { StoredState } from "../store/openState.ts"
import { type CustodianState, type Holding, moving } from "./CustodianState.ts"
import { type OrderKind, orderKinds, Outcome } from "./Outcome.ts"

const outcomesMax = 1_000

const Next = Schema.Struct({
  operation: Schema.Literals(["withdrawal", "withdraw", "conversion", "convert", "swap"]),
  outcome: Outcome
})

const Balance = Schema.Struct({ currency: Schema.String, amount: Schema.String })

const failed = (error: StoreError) =>
  new ControlError({ code: "failed", message: error.message, hint: "Nothing has changed." })

const invalid = (message: string, hint: string) => new ControlError({ code: "invalid_request", message, hint })

const shown = (state: CustodianState, currencies: CurrencyTable, held: Holding) => ({
  balances: Object.fromEntries(currencies.all.map(({ code, decimals }) => [code, format(held(state, code), decimals)])),
  next: state.script,
  orders: Object.entries(state.orders).map(([reference, row]) => ({
    reference,
    kind: row._tag,
    outcome: row.outcome,
    stage: row.stage,
    amount: format(row.units, currencies.byCode(row.currency)?.decimals ?? 0),
    currency: row.currency,
    to: row._tag === "Withdrawal" ? row.address : row.to,
    tx_hash: row._tag === "Withdrawal" ? row.txHash : null,
    reason: row.reason
  }))
})

/** The controls of the custodian: what it holds and has taken, what becomes of the next orders, and how much it holds. */
export const custodianRoutes = (
  state: StoredState<CustodianState>,
  currencies: CurrencyTable,
  held: Holding
): ReadonlyArray<ControlRoute> => [
  get("/custodian", () => Effect.map(state.get, (now) => shown(now, currencies, held))),
  post("/custodian/next", Next, ({ operation, outcome }) => {
    const kind: OrderKind = orderKinds[operation]
    return Effect.gen(function* () {
      if ((yield* state.get).script[kind].length >= outcomesMax) {
        return yield* invalid(`${outcomesMax} outcomes wait already`, "Make some orders first.")
      }
      yield* Effect.mapError(
        state.update((before) => ({
          ...before,
          script: { ...before.script, [kind]: [...before.script[kind], outcome] }
        })),
        failed
      )
      return { next: (yield* state.get).script }
    })
  }),
  post("/custodian/balance", Balance, ({ amount, currency: code }) =>
    Effect.gen(function* () {
      const currency = currencies.byCode(code)
      if (currency === undefined) {
        return yield* invalid(`there is no ${code}`, `There are ${currencies.all.map((one) => one.code).join(", ")}.`)
      }
      const wanted = amount === "0" ? Result.succeed({ units: 0n }) : parse(amount, currency)
      if (Result.isFailure(wanted)) return yield* invalid(wanted.failure.message, "Give a decimal string.")
      const { units } = wanted.success
      const words = { at: yield* Clock.currentTimeMillis, references: [], text: "set by hand" }
      yield* Effect.mapError(
        state.update((before) => moving(before, code, units - held(before, code), words)),
        failed
      )
      return { currency: code, amount }
    })
  ),
  bookRoute("/custodian/book", currencies, ({ currency, units, words }) =>
    Effect.mapError(
      state.update((before) => moving(before, currency, units, words)),
      failed
    )
  )
]
