import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Redacted } from "effect"

/** Where value is held at Bridge: what a payout leaves from, and what arrives on virtual accounts and on-ramps goes to. */
export type BridgeHolding =
  | { readonly kind: "bridge_wallet"; readonly walletId: string; readonly currency: string }
  | { readonly kind: "prefunded"; readonly accountId: string; readonly currency: string }

/** How Bridge is reached, and what of ours is where. */
export interface BridgeOptions {
  readonly apiKey: Redacted.Redacted
  /** The public key of the webhook endpoint, PEM; more than one while it is being changed. */
  readonly webhookPublicKeys: ReadonlyArray<string>
  /** Bridge's customer that stands for the service itself: transfers without a customer are made on its behalf. */
  readonly ownCustomerId: string
  /**
   * Our currency codes, and where at Bridge we hold them: as the money itself, or as a stablecoin of it. A currency that is not among them is
   * refused.
   */
  readonly holdings: Readonly<Record<string, BridgeHolding>>
  readonly currencies: CurrencyTable
  /** Default: Bridge's own. Its sandbox is at `https://api.sandbox.bridge.xyz`. */
  readonly baseUrl?: string
  /** How long one question may take. */
  readonly timeoutMs?: number
  /**
   * How long after an order was sent Bridge may still come to know it. An order whose reference is not found after that
   * was never taken. None is sent after a quarter of it. The other three have to be far longer than `timeoutMs`: what was sent last is on its way then.
   */
  readonly inFlightMs?: number
}

/** Where Bridge is. */
export const bridgeUrl = "https://api.bridge.xyz"

/** Where its sandbox is: nothing there is real. */
export const bridgeSandboxUrl = "https://api.sandbox.bridge.xyz"

/** How long one question may take unless it is configured. */
export const defaultTimeoutMs = 20_000

/** How long an order may be under way unless it is configured: far beyond any timeout of ours or of a gateway. */
export const defaultInFlightMs = 60 * 60 * 1_000
