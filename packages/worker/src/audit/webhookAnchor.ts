import { Effect } from "effect"
import { Egress } from "../egress/Egress.ts"
import { type AuditAnchor, AnchorFailed } from "@bursar/core/port/AuditAnchor"

const limits = { connectTimeoutMs: 5_000, totalTimeoutMs: 15_000, keepAlive: false, responseBytesMax: 1_024 }

/** A URL of the operator's own that each new seal is posted to, as JSON, until it answers with 2xx. It may be on a private network. */
export const webhookAnchor = (url: string): Effect.Effect<AuditAnchor, never, Egress> =>
  Effect.map(Egress, ({ send }) => {
    const host = new URL(url).host
    let delivered = 0
    return {
      name: host,
      put: Effect.fn("webhookAnchor.put")(function* (seal) {
        if (seal.number === delivered) return
        const { status } = yield* send({
          method: "POST",
          url,
          chosenBy: "operator",
          reach: { http: true, local: true },
          headers: { "content-type": "application/json" },
          body: JSON.stringify(seal),
          ...limits
        }).pipe(Effect.mapError(({ detail }) => new AnchorFailed({ reason: `${host}: ${detail}` })))
        if (status < 200 || status > 299) return yield* new AnchorFailed({ reason: `${host} answered ${status}` })
        delivered = seal.number
      })
    }
  })
