/** The names of the headers on a webhook delivery. */
export interface WebhookHeaders {
  /** The event's id, the same as in the feed. */
  readonly eventId: string
  /** Unix seconds. */
  readonly timestamp: string
  /** `v1=<hex>`: HMAC-SHA256 with the endpoint's secret over `<timestamp>.<raw body>`. */
  readonly signature: string
}

/**
 * The header names of a service called `serviceName` (`service` gives `X-Service-Signature`).
 *
 * Words are split at spaces, hyphens and underscores, each with a capital first letter.
 */
export const webhookHeaders = (serviceName: string): WebhookHeaders => {
  const name = serviceName
    .split(/[\s_-]+/u)
    .filter((word) => word !== "")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
    .join("-")
  return { eventId: `X-${name}-Event-Id`, timestamp: `X-${name}-Timestamp`, signature: `X-${name}-Signature` }
}
