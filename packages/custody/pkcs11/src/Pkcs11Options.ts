import type { Redacted } from "effect"

/** Where the token is, and how to log in to it. */
export interface Pkcs11Options {
  /** The path of the module's shared library, which its vendor gives. */
  readonly module: string
  /** The label of the token. Exactly one token must have it. */
  readonly token: string
  /** The PIN of the token's user. */
  readonly pin: Redacted.Redacted
  /**
   * How many sessions may be open at once. Default 8. A call that was given up keeps its own beside these until the token has answered; while so many have,
   * no other is made.
   */
  readonly sessionsMax?: number
  /** How long the token may take for one call. Default 30 000. */
  readonly timeoutMs?: number
  /** What the labels of the service's keys begin with on the token; other keys are not seen. Default `bursar/`. */
  readonly prefix?: string
}

/** How a custody over PKCS #11 is called by wallets, logs and settings. */
export const custodyName = "pkcs11"
