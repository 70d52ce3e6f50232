import { Redacted } from "effect"
import { createHmac } from "node:crypto"

/**
 * The signature header of a delivery (spec, "Webhook"): `v1=` and the hex HMAC-SHA-256 over `<timestamp>.<raw body>`.
 * The key is the secret as it was shown, prefix and all, in UTF-8. `timestamp` is in Unix seconds.
 */
export const signWebhook = (secret: Redacted.Redacted, timestamp: number, rawBody: string): string =>
  `v1=${createHmac("sha256", Redacted.value(secret)).update(`${timestamp}.${rawBody}`).digest("hex")}`
