import { backoffMs, schedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import { Operation } from "./Operation.ts"
import { putRecord } from "../engine/Records.ts"

/** Why an operation that was accepted is not sent. The list grows with the rules: read a name that you do not know as a reason to wait. */
export const waitReasons = [
  "tenant_not_active",
  "switched_off",
  "in_review",
  "destination_not_usable",
  "customer_not_permitted",
  "signing_key_revoked",
  "float_overdrawn",
  "source_taken_back",
  "payer_not_confirmed",
  "insufficient_wallet",
  "provider_not_configured",
  "other_environment",
  "price_unavailable",
  "review_not_granted",
  "quote_overtaken",
  "not_granted",
  "may_be_paid"
] as const

/** Why an operation that was accepted is not sent. */
export type WaitReason = (typeof waitReasons)[number]

/** A condition that does not hold, in words for operators. */
export interface Objection {
  readonly reason: WaitReason
  readonly detail: string
}

/** What an operation waits for, and since when. A payout has reasons of its network besides, such as `node_unreadable`. */
export interface Waits {
  readonly reason: string
  readonly detail: string
  readonly since: Timestamp
}

/** What an operation waits for, as its details say under `waits`; null where it waits for nothing. */
export const waitsOf = ({ details }: Pick<Operation, "details">): Waits | null => details.waits ?? null

/** What keeps an operation whose provider nobody can ask here. It is never asked of another. */
export const providerMissing = ({ provider }: Pick<Operation, "provider">): Objection => ({
  reason: "provider_not_configured",
  detail: `It is for ${provider ?? "no provider"}, which is not configured.`
})

const lookAtLeastMs = 1_000
const lookAtMostMs = 60_000

/** The operation that waits for something; since it began to, whatever it waited for first. The very same where it says so already. */
export const waiting = (
  operation: Operation,
  { detail, reason }: Pick<Waits, "detail" | "reason">,
  now: Timestamp
): Operation => {
  const before = waitsOf(operation)
  if (before?.reason === reason && before.detail === detail) return operation
  return { ...operation, details: { ...operation.details, waits: { reason, detail, since: before?.since ?? now } } }
}

/** The operation that waits for nothing any more. The very same where it did not. */
export const goingOn = (operation: Operation): Operation => {
  if (!("waits" in operation.details)) return operation
  const { waits: _, ...details } = operation.details
  return { ...operation, details }
}

/** Lets an operation wait: it says for what, and is looked at again, soon at first and every minute in the end. */
export const letWait = (
  operation: Operation,
  objection: Objection,
  queue: string,
  now: Timestamp
): ReadonlyArray<Change> => {
  const after = waiting(operation, objection, now)
  const age = now - (waitsOf(after)?.since ?? now)
  return [
    ...(after === operation ? [] : [putRecord(Operation, after)]),
    schedule(queue, operation.id, now + backoffMs(age, lookAtLeastMs, lookAtMostMs))
  ]
}
