import { currencyConflicts, KnownCurrencies } from "@bursar/core/port/KnownCurrencies"
import { Effect, Layer } from "effect"
import { Store } from "./Store.ts"

/** The currencies and what they are bound to, in memory. */
export const layer = Layer.effect(
  KnownCurrencies,
  Effect.map(Store, ({ knownCurrencies, tenants }) =>
    KnownCurrencies.of({
      all: Effect.sync(() => [...knownCurrencies.values()].toSorted((one, two) => (one.code < two.code ? -1 : 1))),
      inBooks: Effect.sync(() =>
        [
          ...new Set([...tenants.values()].flatMap(({ balances }) => [...balances.values()].map((one) => one.currency)))
        ].toSorted()
      ),
      bind: (currencies) =>
        Effect.sync(() => {
          const conflicts = currencyConflicts(knownCurrencies.values(), currencies)
          if (conflicts.length > 0) return conflicts
          for (const { code, contract, decimals, environment, network } of currencies)
            if (!knownCurrencies.has(code))
              knownCurrencies.set(code, { code, network, contract, decimals, environment })
          return []
        })
    })
  )
)
