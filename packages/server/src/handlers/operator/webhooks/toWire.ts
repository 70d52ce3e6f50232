import type { OperatorWebhook, WebhookAttempt } from "@bursar/api/operator/OperatorWebhook"
import { toIso } from "@bursar/core/base/Timestamp"
import type { WebhookEndpoint } from "@bursar/core/webhook/WebhookEndpoint"
import type { AttemptRecord } from "@bursar/core/port/Deliveries"
import { stagedId } from "./stagedId.ts"

/** A webhook endpoint as operators see it: never its secrets, not even sealed. */
export const toWire = (endpoint: WebhookEndpoint): OperatorWebhook => ({
  id: endpoint.id,
  url: endpoint.url,
  kinds: endpoint.kinds,
  enabled: endpoint.enabled,
  disabled_reason: endpoint.disabledReason,
  secret_staged: endpoint.nextSecret !== null,
  staged_secret: stagedId(endpoint),
  created_at: toIso(endpoint.createdAt)
})

/** An attempt as operators see it. */
export const attemptToWire = (record: AttemptRecord): WebhookAttempt => ({
  event_id: record.eventId,
  attempt: record.attempt,
  attempted_at: toIso(record.at),
  status: record.status,
  duration_ms: record.durationMs,
  delivered: record.status !== null && record.status >= 200 && record.status < 300,
  problem: record.problem,
  response: record.status === null ? null : record.responseStart
})
