import { Context, type Effect } from "effect"
import type { Environment } from "../base/Environment.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { StorageError } from "../engine/StorageError.ts"
import { contractKey } from "../money/Currency.ts"
import type { Network } from "../money/Network.ts"

/** What the amounts of a currency in a database mean. */
export interface KnownCurrency {
  readonly code: string
  /** The network that it is on; null for money at a bank. */
  readonly network: Network | null
  /** The contract or issuer of a token; null for the coin of a network, and for money at a bank. */
  readonly contract: string | null
  readonly decimals: number
  /** Where its network is real, or a test; null for money at a bank. */
  readonly environment: Environment | null
}

/** Whether two say the same of what a currency is of. Pure. */
export const sameAsset = (
  one: Pick<KnownCurrency, "contract" | "network">,
  other: Pick<KnownCurrency, "contract" | "network">
): boolean => one.network === other.network && contractKey(one.contract) === contractKey(other.contract)

/** Those that are known as something else than what is given under their codes. Pure. */
export const currencyConflicts = (
  known: Iterable<KnownCurrency>,
  given: ReadonlyArray<KnownCurrency>
): ReadonlyArray<KnownCurrency> => {
  const byCode = new Map(given.map((one) => [one.code, one]))
  return [...known].filter((one) => {
    const wanted = byCode.get(one.code)
    return (
      wanted !== undefined &&
      !(sameAsset(one, wanted) && one.decimals === wanted.decimals && one.environment === wanted.environment)
    )
  })
}

/**
 * The currencies that a database knows, each bound for good to its asset, its decimals and its environment: what stands under a code is
 * in these base units of this asset. A code is never taken out.
 */
export class KnownCurrencies extends Context.Service<
  KnownCurrencies,
  {
    /** By code. */
    readonly all: Effect.Effect<ReadonlyArray<KnownCurrency>, StorageError>
    /** The codes that the balances of all tenants are of. It looks through them, so it is for a database that knows no currency yet. */
    readonly inBooks: Effect.Effect<ReadonlyArray<string>, StorageError>
    /**
     * Binds the currencies that are new, and gives those that are known as something else: where there is one, nothing is bound. Of two
     * that bind a code at once, the first decides.
     */
    readonly bind: (
      currencies: ReadonlyArray<KnownCurrency>,
      at: Timestamp
    ) => Effect.Effect<ReadonlyArray<KnownCurrency>, StorageError>
  }
>()("@bursar/core/port/KnownCurrencies") {}
