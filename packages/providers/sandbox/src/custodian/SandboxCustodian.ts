import { parse } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Custodian } from "@bursar/core/port/Custodian"
import type { Prices } from "@bursar/core/port/Prices"
import { Effect, Result, Semaphore } from "effect"
import type { ControlRoute } from "../control/ControlRoute.ts"
import type { SandboxStore, StoreError } from "../store/SandboxStore.ts"
import { linesBetween } from "../store/LineRow.ts"
import { openState } from "../store/openState.ts"
import { conversions } from "./conversions.ts"
import { custodianRoutes } from "./custodianRoutes.ts"
import { CustodianState, holding, initial, stockOf } from "./CustodianState.ts"
import { defaultFees } from "./defaultFees.ts"
import type { Payer } from "./Payer.ts"
import { withdrawals } from "./withdrawals.ts"

/** How the custodian is set up. */
export interface SandboxCustodianOptions {
  readonly store: SandboxStore
  readonly prices: Prices["Service"]
  readonly payer: Payer
  /** Which currencies there are. Default: those a service starts with. */
  readonly currencies?: CurrencyTable
  /** What is taken for a withdrawal, in whole units by currency; what is missing cannot be withdrawn. */
  readonly fees?: Readonly<Record<string, string>>
  /** What it begins with, in whole units by currency, and nothing of what is missing. Default: a million of everything. */
  readonly stock?: Readonly<Record<string, string>>
}

/** A custodian, and the controls that script it. */
export interface SandboxCustodian {
  readonly custodian: Custodian["Service"]
  readonly routes: ReadonlyArray<ControlRoute>
}

/**
 * A custodian that holds a million of everything, pays in real transactions of the networks it is given, converts at the
 * prices it is given, and does with the next order what it is told. It answers by our reference: an order that is given
 * twice is taken once.
 */
export const make = Effect.fn("SandboxCustodian.make")(function* ({
  currencies = defaultCurrencies,
  fees = defaultFees,
  payer,
  prices,
  stock,
  store
}: SandboxCustodianOptions): Effect.fn.Return<SandboxCustodian, StoreError> {
  const state = yield* openState(store, "custodian", CustodianState, initial)
  const oneAtATime = Semaphore.withPermits(Semaphore.makeUnsafe(1), 1)
  const alone = <A>(effect: Effect.Effect<A>) => Effect.uninterruptible(oneAtATime(effect))

  const feeUnits = (code: string): bigint | undefined => {
    const [currency, fee] = [currencies.byCode(code), fees[code]]
    if (currency?.asset == null || fee === undefined) return undefined
    return Result.match(parse(fee, currency), { onSuccess: ({ units }) => units, onFailure: () => undefined })
  }
  const held = holding(stockOf(currencies, stock))
  const { withdraw, withdrawal } = withdrawals({ currencies, feeUnits, held, payer, state })
  const { conversion, convert, pairs } = conversions({ currencies, held, prices, state })

  const custodian = Custodian.of({
    name: "sandbox",
    environment: "SANDBOX",
    assets: Effect.succeed(
      currencies.all.map(({ code }) => ({
        currency: code,
        withdrawable: feeUnits(code) !== undefined,
        pool: code
      }))
    ),
    pairs,
    balances: Effect.map(state.get, (now) => new Map(currencies.all.map(({ code }) => [code, held(now, code)]))),
    statement: (since, until) => Effect.map(state.get, ({ lines = [] }) => linesBetween(lines, since, until)),
    networkFeeBorneBy: "RECEIVER",
    withdrawalFee: (code, network) => {
      const units = feeUnits(code)
      const known = units !== undefined && currencies.byCode(code)?.asset?.network === network
      return Effect.succeed(known ? { units, currency: code } : null)
    },
    // it converts at the very rate that it is given
    conversionFee: (from, to) => {
      const known = currencies.byCode(from) !== undefined && currencies.byCode(to) !== undefined
      return Effect.succeed(known ? { units: 0n, decimals: 0 } : null)
    },
    convert: (order) => alone(convert(order)),
    conversion: (order, providerReference) => alone(conversion(order, providerReference)),
    withdraw: (order) => alone(withdraw(order)),
    withdrawal: (order, providerReference) => alone(withdrawal(order, providerReference))
  })
  return { custodian, routes: custodianRoutes(state, currencies, held) }
})
