import type { OperatorRole } from "@bursar/api/operator/Operator"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Network } from "@bursar/core/money/Network"
import type { FeeRule } from "@bursar/core/pricing/FeeRule"
import type { SignInPolicy } from "../identity/SignInPolicy.ts"
import type { Explorer } from "./explorers.ts"
import { Context, type Duration, type Redacted } from "effect"

/** An operator with a token of its own. The configuration knows the token's hash alone. */
export interface NamedOperator {
  /** In lower case. */
  readonly name: string
  readonly role: OperatorRole
  /** What `hashToken` makes of the token. */
  readonly tokenHash: string
  /** The moment from which the token is refused; null where it does not expire. */
  readonly expiresAt: Timestamp | null
}

/** What the HTTP adapter must be told. All of it is settled before the first request. */
export interface ServerSettings {
  /** The service's own name, lower case: it stands in address sources (`SERVICE_ISSUED`) and webhook headers. */
  readonly serviceName: string
  /** What API keys start with, lower-case letters and digits. */
  readonly keyPrefix: string
  /**
   * The authorities under which partners reach the service, such as `api.example.com`; the first is the one documented.
   * Only requests to one of them may be signed; where there is none, only requests to this machine itself.
   */
  readonly publicAuthorities: ReadonlyArray<string>
  /**
   * Addresses and CIDR ranges of the proxies whose `X-Forwarded-For` and `Forwarded` count, and must be there. What is none stops
   * the server from starting.
   */
  readonly trustedProxies: ReadonlyArray<string>
  /** Under which API keys are hashed. Changing it invalidates every key. */
  readonly keyPepper: Redacted.Redacted
  /** Under which cursors are authenticated. Changing it invalidates cursors that are out. */
  readonly cursorSecret: Redacted.Redacted
  /**
   * The bearer token that operators share: whoever has it is an administrator, under the name that `X-Operator` gives. Null where
   * nobody shares one. Nobody can use it where there are `operators`, or people who sign in: one person would be two.
   */
  readonly operatorToken: Redacted.Redacted | null
  /** Operators with tokens of their own, whose names (in lower case, each once) are certain. */
  readonly operators?: ReadonlyArray<NamedOperator>
  /** Who may sign in at the identity provider (`IdentityTokens`); nobody where it is absent. A name here is the person of that name among `operators`. */
  readonly signIn?: SignInPolicy | null
  readonly currencies: CurrencyTable
  /** The fee rules that apply where a tenant has none of its own; none where it is absent. */
  readonly defaultFees?: ReadonlyArray<FeeRule>
  /** Networks on which nobody's chain payouts are taken, whatever a tenant's own settings say. */
  readonly payoutsOff?: ReadonlyArray<Network>
  /** Where operators look up what is on a network; null where nowhere. Networks that are not among them have the usual explorer (`explorerOf`). */
  readonly explorers?: ReadonlyMap<Network, Explorer | null>
  /**
   * For how long a process may go on believing what it read about keys, tenants and allowlists. Revocation is to be in
   * force everywhere within 5 seconds, so it must stay below that.
   */
  readonly directoryTtl: Duration.Input
}

/** The settings of the HTTP adapter; whoever assembles the service gives it. */
export class ServerConfig extends Context.Service<ServerConfig, ServerSettings>()(
  "@bursar/server/config/ServerConfig"
) {}

/** The usual {@link ServerSettings.directoryTtl}. */
export const directoryTtlDefault: Duration.Input = "4 seconds"

/** For how long a quote holds, in milliseconds. */
export const quoteLifetimeMs = 60_000
