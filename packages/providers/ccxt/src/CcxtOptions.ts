import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Network } from "@bursar/core/money/Network"
import type { Redacted } from "effect"
import type { ExchangeName } from "./ExchangeName.ts"

/** What lets us in. okx and bitget also have a passphrase. */
export interface Credentials {
  readonly apiKey: Redacted.Redacted
  readonly secret: Redacted.Redacted
  readonly passphrase?: Redacted.Redacted
}

/** Which exchange, and how it is called. */
export interface CcxtOptions {
  readonly exchange: ExchangeName
  /** Needed by a custodian; prices are public. */
  readonly credentials?: Credentials
  /** Which currencies there are. Default: those a service starts with. */
  readonly currencies?: CurrencyTable
  /** What the exchange calls our currencies, where that is not the code up to its underscore. */
  readonly coins?: Readonly<Record<string, string>>
  /** What it calls the networks, where it has renamed them. */
  readonly networks?: Readonly<Partial<Record<Network, string>>>
  /** Another origin, such as that of the exchange's house in another country. */
  readonly baseUrl?: string
  /** How long one call may take. Default 15 000. */
  readonly timeoutMs?: number
  /** Whether calls wait so that the exchange's rate limits hold. Default true; false where something else sees to that. */
  readonly paced?: boolean
  /**
   * How long after it was sent an order that a search by our reference does not find may still turn up. Default 600 000: the
   * exchanges refuse what is older than two minutes, and the rest is for their own books.
   */
  readonly absentAfterMs?: number
  /** The coins that count as a dollar, best first. Default: USD where the exchange has it, else the dollar tokens. */
  readonly dollars?: ReadonlyArray<string>
  /** Prices seen longer ago are unknown. Default 60 000. */
  readonly staleAfterMs?: number
  /** How long a price is told again before the exchange is asked. Default 5 000. */
  readonly freshForMs?: number
}
