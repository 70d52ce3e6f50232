import type { CurrencyTable } from "@bursar/core/money/Currency"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { FiatProvider } from "@bursar/core/port/FiatProvider"
import type { Prices } from "@bursar/core/port/Prices"
import { Effect } from "effect"
import type { Scope } from "effect"
import type { ControlRoute } from "../control/ControlRoute.ts"
import { openState } from "../store/openState.ts"
import type { SandboxStore, StoreError } from "../store/SandboxStore.ts"
import { makeTell, readSandboxHint, type SandboxWebhook } from "../webhook/SandboxWebhook.ts"
import { makeAccounts } from "./accounts.ts"
import { fiatBalances, fiatStatement } from "./fiatBooks.ts"
import { fiatRoutes } from "./fiatRoutes.ts"
import { FiatState, initial } from "./FiatState.ts"
import { makeTransfers } from "./transfers.ts"

/** How the fiat provider is set up. */
export interface SandboxFiatOptions {
  readonly store: SandboxStore
  /** Which currencies there are. Default: those a service starts with. */
  readonly currencies?: CurrencyTable
  /** What the receiver gets of another currency. Default null: only transfers in one currency are taken. */
  readonly prices?: Prices["Service"] | null
  /** How long an account waits for its details. Default one second. */
  readonly activateAfterMs?: number
  /** How long each step of a transfer takes. Default one second. */
  readonly stepMs?: number
  /** What it begins with, in whole units by currency. Default: nothing. */
  readonly stock?: Readonly<Record<string, string>>
  /** Where changes are told of. Default: nowhere. */
  readonly webhook?: SandboxWebhook | null
}

/** A fiat provider, and the controls that script it. */
export interface SandboxFiat {
  readonly provider: FiatProvider["Service"]
  readonly routes: ReadonlyArray<ControlRoute>
}

const defaultStepMs = 1_000

/** A fiat provider without a bank: accounts get well-formed details, and transfers run the course that was scripted. */
export const make = Effect.fn("SandboxFiat.make")(function* ({
  activateAfterMs = defaultStepMs,
  currencies = defaultCurrencies,
  prices = null,
  stepMs = defaultStepMs,
  stock = {},
  store,
  webhook = null
}: SandboxFiatOptions): Effect.fn.Return<SandboxFiat, StoreError, Scope.Scope> {
  const state = yield* openState(store, "fiat", FiatState, initial)
  const tell = yield* makeTell(webhook)
  return {
    provider: FiatProvider.of({
      name: "sandbox",
      environment: "SANDBOX",
      ...makeAccounts(state, activateAfterMs, tell),
      ...makeTransfers(state, { currencies, prices, stepMs }, tell),
      balances: fiatBalances(state, { currencies, stepMs, stock }),
      statement: fiatStatement(state, { stepMs }),
      readHint: readSandboxHint(webhook?.secret ?? null)
    }),
    routes: fiatRoutes(state, { activateAfterMs, currencies, stepMs }, tell)
  }
})
