import { failPayout, deferPayout } from "@bursar/core/payout/deferPayout"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import type { Payout } from "@bursar/core/payout/Payout"
import { Clock, Effect } from "effect"
import { retryAt, type Send, unresolvedAfter } from "./Send.ts"
import { submitSend } from "./submitSend.ts"

/**
 * Notes why a payout cannot be put into an outbound transaction now; it is tried again later, and says so meanwhile. The more often, the later, unless
 * the next block may change it (`soon`).
 */
export const deferSending = Effect.fn("send.holdBack")(function* (
  send: Send,
  tenantId: TenantId,
  payout: Payout,
  reason: string,
  detail: string,
  retry: "soon" | "later" = "later"
) {
  const { currencies } = send
  const now = yield* Clock.currentTimeMillis
  const nextAt = retryAt(send, now, retry === "soon" ? 0 : (payout.waits?.tries ?? 0))
  const unresolvedAfterMs = unresolvedAfter(send)
  yield* submitSend(send, tenantId, deferPayout({ payout, reason, detail, nextAt, unresolvedAfterMs, currencies }))
  yield* Effect.logWarning("payout.deferred").pipe(
    Effect.annotateLogs({ tenant: tenantId, operation: payout.operationId, reason, detail })
  )
})

/** Takes a payout out of its queue that waits for nothing any more. */
export const dismiss = ({ currencies, ...send }: Send, tenantId: TenantId, payout: Payout) =>
  submitSend(
    { ...send, currencies },
    tenantId,
    deferPayout({ payout, reason: "", detail: "", nextAt: 0, unresolvedAfterMs: Number.POSITIVE_INFINITY, currencies })
  )

/** Fails a payout whose receiver can never be paid. Nothing was signed, so nothing can happen. */
export const abandon = Effect.fn("send.giveUp")(function* (
  send: Send,
  tenantId: TenantId,
  payout: Payout,
  detail: string
) {
  yield* submitSend(send, tenantId, failPayout({ payout, reason: "destination_invalid", currencies: send.currencies }))
  yield* Effect.logWarning("payout.abandoned").pipe(
    Effect.annotateLogs({ tenant: tenantId, operation: payout.operationId, detail })
  )
})
