import { format, parse } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { Clock, Effect, Result, Schema } from "effect"
import { bookRoute } from "../control/bookRoute.ts"
import { withLine } from "../store/LineRow.ts"
import { ControlError, type ControlRoute, get, post } from "../control/ControlRoute.ts"
import type { StoredState } from "../store/openState.ts"
import type { Tell } from "../webhook/SandboxWebhook.ts"
import { accountAt } from "./accounts.ts"
import { AccountRow, type FiatState, type TransferRow } from "./FiatState.ts"
import { movesAt } from "./fiatBooks.ts"
import { transferAt } from "./transfers.ts"
import { courseOf, TransferOutcome } from "./TransferOutcome.ts"

const outcomesMax = 1_000

const Incoming = Schema.Struct({
  account: Schema.NonEmptyString,
  amount: Schema.String,
  currency: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String)
})

const Next = Schema.Struct({ outcome: TransferOutcome })

const Change = Schema.Struct({
  outcome: TransferOutcome,
  received: Schema.optionalKey(Schema.String),
  returned: Schema.optionalKey(Schema.String)
})

const Status = Schema.Struct({ status: AccountRow.fields.status })

const invalid = (message: string, hint: string) => new ControlError({ code: "invalid_request", message, hint })

const missing = (message: string) =>
  new ControlError({ code: "not_found", message, hint: "GET /fiat shows what there is." })

/** What the controls need to know of the provider. */
export interface FiatRouteOptions {
  readonly currencies: CurrencyTable
  readonly activateAfterMs: number
  readonly stepMs: number
}

/**
 * The controls of the fiat provider: money that arrives, what becomes of the next transfers and of one that runs, and what
 * an account is. An account goes by our id of it, the provider's, or its IBAN; a transfer by our operation's id.
 */
export const fiatRoutes = (
  state: StoredState<FiatState>,
  { activateAfterMs, currencies, stepMs }: FiatRouteOptions,
  tell: Tell
): ReadonlyArray<ControlRoute> => {
  const update = (change: (before: FiatState) => FiatState) =>
    Effect.mapError(
      state.update(change),
      (error) => new ControlError({ code: "failed", message: error.message, hint: "Nothing has changed." })
    )

  const findAccount = Effect.fnUntraced(function* (id: string) {
    const now = yield* Clock.currentTimeMillis
    const found = Object.entries((yield* state.get).accounts)
      .map(([reference, row]) => ({ reference, row, account: accountAt(row, now, activateAfterMs) }))
      .find(({ account, reference, row }) => reference === id || row.id === id || account.iban === id)
    return found ?? (yield* missing(`there is no account ${id}`))
  })

  const decimal = (units: bigint, code: string) => format(units, currencies.byCode(code)?.decimals ?? 0)

  const shown = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const { accounts, arrivals, customers, script, transfers } = yield* state.get
    return {
      customers: Object.entries(customers).map(([reference, id]) => ({ reference, id })),
      accounts: Object.entries(accounts).map(([reference, row]) => {
        const { iban, status } = accountAt(row, now, activateAfterMs)
        return { reference, id: row.id, currency: row.currency, status, iban }
      }),
      incoming: arrivals.map(({ account, currency, description, id, units }) => ({
        id,
        account,
        amount: decimal(units, currency),
        currency,
        description
      })),
      transfers: Object.entries(transfers).map(([reference, row]) => ({
        reference,
        id: row.id,
        kind: row.kind,
        amount: decimal(row.units, row.currency),
        currency: row.currency,
        outcome: row.outcome,
        status: transferAt(row, now, stepMs)?.status ?? null
      })),
      next: script
    }
  })

  /** Zero may be said as well: a provider that says so is what some want to see. */
  const unitsOf = Effect.fnUntraced(function* (text: string, code: string) {
    const currency = currencies.byCode(code)
    if (currency === undefined) return yield* invalid(`there is no ${code}`, "Choose another transfer.")
    if (text === "0") return 0n
    const amount = parse(text, currency)
    return Result.isFailure(amount)
      ? yield* invalid(amount.failure.message, "Give a decimal string.")
      : amount.success.units
  })

  const arrive = Effect.fnUntraced(function* (body: typeof Incoming.Type) {
    const { account, row } = yield* findAccount(body.account)
    if (account.status !== "ACTIVE")
      return yield* invalid(`the account is ${account.status}`, "Wait until it is ACTIVE.")
    if (body.currency !== undefined && body.currency !== row.currency) {
      return yield* invalid(`the account is in ${row.currency}`, "Send that currency.")
    }
    const currency = currencies.byCode(row.currency)
    if (currency === undefined) return yield* invalid(`there is no ${row.currency}`, "Choose another account.")
    const amount = parse(body.amount, currency)
    if (Result.isFailure(amount)) return yield* invalid(amount.failure.message, "Give a decimal string above zero.")
    const arrival = {
      id: `pay_${crypto.randomUUID()}`,
      account: row.id,
      units: amount.success.units,
      currency: row.currency,
      description: body.description ?? "",
      at: yield* Clock.currentTimeMillis
    }
    yield* update((before) => ({ ...before, arrivals: [...before.arrivals, arrival] }))
    yield* tell({ what: "account", about: row.id })
    return { id: arrival.id, account: row.id, amount: decimal(arrival.units, row.currency), currency: row.currency }
  })

  return [
    get("/fiat", () => shown),
    post("/fiat/incoming", Incoming, arrive),
    post("/fiat/next", Next, ({ outcome }) =>
      Effect.gen(function* () {
        if ((yield* state.get).script.length >= outcomesMax) {
          return yield* invalid(`${outcomesMax} outcomes wait already`, "Make some transfers first.")
        }
        yield* update((before) => ({ ...before, script: [...before.script, outcome] }))
        return { next: (yield* state.get).script }
      })
    ),
    post("/fiat/transfers/{reference}", Change, ({ outcome, received, returned }, { reference = "" }) =>
      Effect.gen(function* () {
        const since = yield* Clock.currentTimeMillis
        const row = (yield* state.get).transfers[reference]
        if (row === undefined) return yield* missing(`there is no transfer ${reference}`)
        if (outcome === "refuse") return yield* invalid("it was taken already", "Let it fail.")
        const movedAt = movesAt(row, stepMs)
        const next: TransferRow = {
          ...row,
          outcome,
          since,
          ...(movedAt !== undefined && movedAt <= since && { goneAt: movedAt }),
          ...(received !== undefined && { receivedUnits: yield* unitsOf(received, row.receivedCurrency) }),
          ...(returned !== undefined && { returnedUnits: yield* unitsOf(returned, row.currency) })
        }
        yield* update((before) => ({ ...before, transfers: { ...before.transfers, [reference]: next } }))
        yield* Effect.forEach(courseOf(row.kind, outcome), (_, step) =>
          tell({ what: "transfer", about: reference }, step * stepMs)
        )
        return { reference, outcome }
      })
    ),
    bookRoute("/fiat/book", currencies, ({ currency, units, words }) =>
      update((before) => ({ ...before, booked: withLine(before.booked ?? [], currency, units, words) }))
    ),
    post("/fiat/accounts/{account}", Status, ({ status }, { account = "" }) =>
      Effect.gen(function* () {
        const { reference, row } = yield* findAccount(account)
        const next = { ...row, status }
        yield* update((before) => ({ ...before, accounts: { ...before.accounts, [reference]: next } }))
        yield* tell({ what: "account", about: row.id })
        return { account: row.id, status }
      })
    )
  ]
}
