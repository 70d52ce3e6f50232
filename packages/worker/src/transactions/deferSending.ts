import { failPayout, deferPayout } from "@bursar/core/payout/deferPayout"
import { holdSignedBefore, signedBefore } from "@bursar/core/payout/holdSignedBefore"
import { signedFor } from "@bursar/core/payout/signedUnstored"
import { hashesGiven } from "@bursar/core/payout/standingEvidence"
import { Queries } from "@bursar/core/store/Queries"
import { Clock, Effect, Result } from "effect"
import { tellUnreviewed } from "../queue/tellUnreviewed.ts"
import { type OwnedPayout, retryAt, type Send, unresolvedAfter } from "./Send.ts"
import { submitSend } from "./submitSend.ts"

/** Why a payout waits: one word for machines, and words for people. */
export interface WhyDeferred {
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

/** The hashes of all that the signer has signed for a payout and that is not stored. */
const hashesSignedFor = Effect.fnUntraced(function* ({ payout, tenantId }: OwnedPayout) {
  const operation = yield* (yield* Queries).operation(tenantId, payout.operationId)
  if (operation === undefined) return []
  return (yield* signedFor(operation, payout.network)).map(({ hash }) => hash)
})

/**
 * Fails a payout whose receiver can never be paid. Nothing is stored as signed; where the signer has signed for it all the same, which may have paid it
 * before the receiver changed, it waits for an operator, and where the signer cannot tell, it is tried again.
 */
export const abandon = Effect.fn("send.giveUp")(function* (send: Send, owned: OwnedPayout, detail: string) {
  const { payout, tenantId } = owned
  const { currencies } = send
  const found = yield* Effect.result(hashesSignedFor(owned))
  if (Result.isFailure(found)) {
    if (found.failure._tag !== "VaultError") return yield* found.failure
    return yield* deferSending(send, owned, { reason: "signer_unreachable", detail: found.failure.message })
  }
  const { success: hashes } = found
  if (hashes.length > 0) {
    yield* submitSend(send, tenantId, holdSignedBefore({ payout, hashes, currencies }))
    return yield* Effect.logWarning("payout.deferred").pipe(
      Effect.annotateLogs({ tenant: tenantId, operation: payout.operationId, ...signedBefore(hashes) })
    )
  }
  const given = yield* hashesGiven(yield* Queries, tenantId, payout.operationId)
  const failed = yield* submitSend(
    send,
    tenantId,
    failPayout({ payout, reason: "destination_invalid", given, currencies })
  )
  // it has moved on, or evidence speaks for it
  if (failed === null) return
  return yield* Effect.logWarning("payout.abandoned").pipe(
    Effect.annotateLogs({ tenant: tenantId, operation: payout.operationId, detail })
  )
})
