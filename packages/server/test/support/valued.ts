import type { State } from "@bursar/memory"
import type { AuditRecord } from "@bursar/core/audit/AuditRecord"
import { assert } from "@effect/vitest"
import { createHash } from "node:crypto"
import { areTooLong } from "../../src/middleware/actionValues.ts"
import type { Answer, Sent } from "./Partner.ts"

/** What may find that all is as it should be already, at the first time, too. */
const oftenDone: ReadonlySet<string> = new Set([
  "/operator/v1/tenants/:tenant_id/keys/:key_id/seal",
  // it shows an account, and at most makes the seed of it, which is the vault's
  "/operator/v1/tenants/:tenant_id/issuing-accounts",
  // it reads a file and keeps nothing
  "/operator/v1/reconciliation/statement-files",
  // it may be closed with those of all tenants
  "/operator/v1/tenants/:tenant_id/periods/:period/close",
  // an operator token has no session
  "/operator/v1/session/end"
])

const hasChanged = ({ content, status }: AuditRecord): boolean =>
  status !== null && content !== null && (areTooLong(content.values) || JSON.parse(content.values).changes?.length > 0)

const isSame = (one: AuditRecord, other: AuditRecord): boolean =>
  one.route === other.route && one.params["tenant_id"] === other.params["tenant_id"]

/**
 * Sees that an action of an operator which was done stands in the audit log with the digest of what was asked for, and with what it has changed.
 * One that is sent again changes nothing. Every test of the operator interface goes through it.
 */
export const assertValued = ({ audit }: State, sent: Sent, { headers, status }: Answer): void => {
  const requestId = String(headers["x-request-id"])
  const after = audit.findLast((one) => one.requestId === requestId && one.status === status)
  if (after === undefined) return assert.fail(`the action ${requestId} left no record`)
  const body = sent.raw ?? (sent.body === undefined ? "" : JSON.stringify(sent.body))
  assert.strictEqual(after.content?.digest, createHash("sha256").update(body).digest("hex"))
  // what is made by a grant is said by the record of its approval
  const isReplayed = headers["idempotency-replayed"] === "true"
  const isRepeated = isReplayed || audit.some((one) => one.id < after.id && isSame(one, after) && hasChanged(one))
  return assert.isTrue(
    hasChanged(after) || isRepeated || oftenDone.has(after.route),
    `${after.method} ${after.route} says nothing of what it has changed`
  )
}
