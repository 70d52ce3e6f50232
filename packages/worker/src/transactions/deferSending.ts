import { failPayout, deferPayout } from "@bursar/core/payout/deferPayout"
import { Clock, Effect } from "effect"
import { tellUnreviewed } from "../queue/tellUnreviewed.ts"
import { type OwnedPayout, retryAt, type Send, unresolvedAfter } from "./Send.ts"
import { submitSend } from "./submitSend.ts"

/** Why a payout waits: one word for machines, and words for people. */
interface WhyDeferred {
  readonly reason: string
  readonly detail: string
  /** Default `later`. */
  readonly retry?: "soon" | "later"
}

/**
 * Notes why a payout cannot be put into an outbound transaction now; it is tried again later, and says so meanwhile. The more often, the later, unless
 * the next block may change it (`soon`).
 */
export const deferSending = Effect.fn("send.holdBack")(function* (
  send: Send,
  { payout, tenantId }: OwnedPayout,
  { detail, reason, retry = "later" }: WhyDeferred
) {
  const { currencies } = send
  const now = yield* Clock.currentTimeMillis
  const nextAt = retryAt(send, now, retry === "soon" ? 0 : (payout.waits?.tries ?? 0))
  const unresolvedAfterMs = unresolvedAfter(send)
  yield* submitSend(send, tenantId, deferPayout({ payout, reason, detail, nextAt, unresolvedAfterMs, currencies }))
  yield* tellUnreviewed({ tenantId, operationId: payout.operationId, kind: "CHAIN_PAYOUT" }, { reason, detail })
  // what is not granted may be what somebody has written into a row
  yield* (reason === "not_granted" ? Effect.logError("payout.deferred") : Effect.logWarning("payout.deferred")).pipe(
    Effect.annotateLogs({ tenant: tenantId, operation: payout.operationId, reason, detail })
  )
})

/** Takes a payout out of its queue that waits for nothing any more. */
export const dismiss = ({ currencies, ...send }: Send, { payout, tenantId }: OwnedPayout) =>
  submitSend(
    { ...send, currencies },
    tenantId,
    deferPayout({ payout, reason: "", detail: "", nextAt: 0, unresolvedAfterMs: Number.POSITIVE_INFINITY, currencies })
  )

/** Fails a payout whose receiver can never be paid. Nothing was signed, so nothing can happen. */
export const abandon = Effect.fn("send.giveUp")(function* (
  send: Send,
  { payout, tenantId }: OwnedPayout,
  detail: string
) {
  yield* submitSend(send, tenantId, failPayout({ payout, reason: "destination_invalid", currencies: send.currencies }))
  yield* Effect.logWarning("payout.abandoned").pipe(
    Effect.annotateLogs({ tenant: tenantId, operation: payout.operationId, detail })
  )
})
