import type { Redacted } from "effect"

/** How Sumsub is reached, and what its levels mean to us. */
export interface SumsubOptions {
  /** `X-App-Token`. One that begins with `sbx:` belongs to Sumsub's sandbox, one with `prd:` to production. */
  readonly appToken: Redacted.Redacted
  /** Signs every request. */
  readonly secretKey: Redacted.Redacted
  /** Signs webhooks. */
  readonly webhookSecret: Redacted.Redacted
  /** The levels that individuals and businesses are checked at, exactly as they are called in Sumsub. */
  readonly levels: { readonly individual: string; readonly business: string }
  /** What a person may do who was approved at a level. Default: `fiat_accounts`, `payouts` and `swaps` at either of `levels`, and nothing at any other. */
  readonly capabilitiesOf?: (level: string) => ReadonlyArray<string>
  /** Default: Sumsub's own. */
  readonly baseUrl?: string
  /** How long one question may take. */
  readonly timeoutMs?: number
  /** How long the person's link is good for. */
  readonly linkSeconds?: number
}

/** Where Sumsub is. */
export const sumsubUrl = "https://api.sumsub.com"

/** What approval at a configured level allows where nothing else is configured. */
export const defaultCapabilities: ReadonlyArray<string> = ["fiat_accounts", "payouts", "swaps"]

/** How long one question may take unless it is configured. */
export const defaultTimeoutMs = 15_000

/** How long the person's link is good for unless it is configured: thirty minutes, Sumsub's own default. */
export const defaultLinkSeconds = 1_800
