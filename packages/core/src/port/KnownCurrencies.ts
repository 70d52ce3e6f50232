import { Context, type Effect } from "effect"
import type { Environment } from "../base/Environment.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { StorageError } from "../engine/StorageError.ts"
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

/**
 * The currencies that a database knows, each bound for good to its asset, its decimals and its environment: what stands under a code is
 * in these base units of this asset. A code is never taken out.
 */
export class KnownCurrencies extends Context.Service<
  KnownCurrencies,
  {
    /** By code. */
    readonly all: Effect.Effect<ReadonlyArray<KnownCurrency>, StorageError>
    /** Binds the currencies that are new. One that is known stays as it is: of two that bind a code at once, the first decides. */
    readonly bind: (currencies: ReadonlyArray<KnownCurrency>, at: Timestamp) => Effect.Effect<void, StorageError>
  }
>()("@bursar/core/port/KnownCurrencies") {}
