import type { Timestamp } from "@bursar/core/base/Timestamp"
import { Clock, Context, Effect, Layer } from "effect"
import { createHash } from "node:crypto"

/** A token of the identity provider, by its digest, for as long as it is good. */
export interface Session {
  readonly digest: string
  readonly expiresAt: Timestamp
}

/** The session of the request in progress; null where the operator came with another credential. */
export const CurrentSession = Context.Reference<Session | null>("@bursar/server/identity/CurrentSession", {
  defaultValue: () => null
})

/**
 * A token as records and this process know it: its digest opens nothing. The signature is left out: it can be written in several ways, and
 * each would be another session.
 */
export const digestOfToken = (token: string): string =>
  createHash("sha256")
    .update(token.slice(0, token.lastIndexOf(".")), "utf8")
    .digest("hex")

/** How long a token is kept after its expiry: within the tolerance of clocks it is still taken. */
const keptMs = 120_000

/**
 * The tokens of the identity provider that came to this process: which are new, and which their owners signed out with. Only verified tokens
 * come here, so strangers cannot fill it. Another process knows nothing of it.
 */
export class Sessions extends Context.Service<
  Sessions,
  {
    /** Whether its owner has signed out with it. */
    readonly isOver: (digest: string) => boolean
    /** Runs an effect before the first use of a token; where it fails, the next use is the first again. */
    readonly first: <E, R>(session: Session, effect: Effect.Effect<void, E, R>) => Effect.Effect<void, E, R>
    readonly end: (session: Session) => void
  }
>()("@bursar/server/identity/Sessions") {
  static readonly layer = Layer.sync(Sessions, () => {
    const known = new Map<string, { readonly expiresAt: Timestamp; readonly isOver: boolean }>()
    const forgetExpired = (now: Timestamp) => {
      for (const [digest, { expiresAt }] of known) if (expiresAt + keptMs <= now) known.delete(digest)
    }
    return Sessions.of({
      isOver: (digest) => known.get(digest)?.isOver === true,
      first: ({ digest, expiresAt }, effect) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          if (known.has(digest)) return Effect.void
          forgetExpired(now)
          known.set(digest, { expiresAt, isOver: false })
          return Effect.onError(effect, () => Effect.sync(() => known.delete(digest)))
        }),
      end: ({ digest, expiresAt }) => known.set(digest, { expiresAt, isOver: true })
    })
  })
}
