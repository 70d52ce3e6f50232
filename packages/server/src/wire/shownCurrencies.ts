import type { CurrencyTable, Currency } from "@bursar/core/money/Currency"
import { StorageError } from "@bursar/core/engine/StorageError"
import type { Operation } from "@bursar/core/operation/Operation"
import { KnownCurrencies, type KnownCurrency } from "@bursar/core/port/KnownCurrencies"
import { Effect } from "effect"
import { ServerConfig } from "../config/ServerConfig.ts"
import { codesOfOperation } from "./codesOfOperation.ts"

/** What exact amounts are shown by. */
export interface ShownCurrencies {
  /** The table by which amounts of these currencies are shown: one alone, which grows. It fails where nobody knows how many decimals one of them has. */
  readonly shownIn: (codes: ReadonlyArray<string>) => Effect.Effect<CurrencyTable, StorageError>
  /** The same of all amounts of operations. */
  readonly shownOf: (operations: ReadonlyArray<Operation>) => Effect.Effect<CurrencyTable, StorageError>
  /** The same as far as somebody knows it: it never fails, and the table lacks what nobody knows. For operators, who have to see what is there. */
  readonly asKnown: (operations: ReadonlyArray<Operation>) => Effect.Effect<CurrencyTable>
  /** Whether there can be amounts of a currency, as somebody asks for it by name. */
  readonly isKnown: (code: string) => Effect.Effect<boolean, StorageError>
}

const kindOf = ({ contract, network }: KnownCurrency): Currency["kind"] => {
  if (network === null) return "FIAT"
  return contract === null ? "COIN" : "TOKEN"
}

const currencyOf = (known: KnownCurrency): Currency => ({
  code: known.code,
  name: known.code,
  kind: kindOf(known),
  decimals: known.decimals,
  asset: known.network === null ? null : { network: known.network, contract: known.contract }
})

/**
 * Makes what exact amounts are shown by. What stands in the database may be of a currency that this server lacks: a process with a newer
 * configuration has booked it. The database is bound to what such a currency is, so it is asked, and the amount is shown as it is: no row is
 * left out, and none takes the others away.
 *
 * For showing, and for taking an operation back, which only writes of amounts that stand in the books. What else may be used is said by the configuration.
 */
export const shownCurrencies: Effect.Effect<ShownCurrencies, never, KnownCurrencies | ServerConfig> = Effect.gen(
  function* () {
    const { currencies } = yield* ServerConfig
    const known = yield* KnownCurrencies
    const heard = new Map<string, Currency>()
    const byCode = (code: string) => currencies.byCode(code) ?? heard.get(code)
    const shown: CurrencyTable = { ...currencies, byCode }
    const lackedOf = (codes: ReadonlyArray<string>) => [...new Set(codes.filter((code) => byCode(code) === undefined))]

    const learn = Effect.map(known.all, (all) => {
      for (const one of all) heard.set(one.code, currencyOf(one))
    })

    const learned = Effect.fnUntraced(function* (lacked: ReadonlyArray<string>) {
      yield* learn
      yield* Effect.annotateLogs(Effect.logError("operations.unknown_currency"), { currencies: lacked.join(", ") })
      const nobodys = lackedOf(lacked)
      if (nobodys.length > 0)
        return yield* new StorageError({
          doing: "show amounts",
          cause: new Error(`nobody knows how many decimals there are of ${nobodys.join(", ")}`)
        })
      return shown
    })

    const shownIn: ShownCurrencies["shownIn"] = (codes) => {
      const lacked = lackedOf(codes)
      return lacked.length === 0 ? Effect.succeed(shown) : learned(lacked)
    }

    const shownOf: ShownCurrencies["shownOf"] = (operations) => shownIn(operations.flatMap(codesOfOperation))

    return {
      shownIn,
      shownOf,
      asKnown: (operations) => Effect.orElseSucceed(shownOf(operations), () => shown),
      isKnown: (code) =>
        byCode(code) === undefined ? Effect.map(learn, () => byCode(code) !== undefined) : Effect.succeed(true)
    }
  }
)
