import { type IdentityUnavailable, TokenRefused } from "@bursar/core/port/IdentityTokens"
import { Clock, Effect, Semaphore } from "effect"
import { type CryptoKey, errors, type JWTHeaderParameters, type LocalJWKSet } from "jose"
import type { OidcOptions } from "../OidcOptions.ts"
import { readKeys } from "./readKeys.ts"

/** For how long keys are believed without reading them again: a key that the provider withdrew is taken no longer. */
const believedMs = 600_000

/** Unknown keys make the provider be asked so often at most. */
const unknownEveryMs = 10_000

/** A provider that does not answer is asked so often at most. */
const retryEveryMs = 5_000

interface Known {
  readonly set: LocalJWKSet
  readonly readAt: number
}

interface Failed {
  readonly error: IdentityUnavailable
  readonly at: number
}

type KeyAnswer =
  | { readonly _tag: "Found"; readonly key: CryptoKey }
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "Refused" }

const keyIn = ({ set }: Known, header: JWTHeaderParameters) =>
  Effect.promise(() =>
    set(header).then(
      (key): KeyAnswer => ({ _tag: "Found", key }),
      (error: unknown): KeyAnswer => ({ _tag: error instanceof errors.JWKSNoMatchingKey ? "Unknown" : "Refused" })
    )
  )

/** The provider's keys, which are read when they are needed: bounded, whatever keys tokens name and however long the provider is away. */
export const makeKeyCache = Effect.fnUntraced(function* (options: OidcOptions) {
  const one = yield* Semaphore.make(1)
  let known: Known | undefined
  let failed: Failed | undefined

  const read = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (failed !== undefined && now - failed.at < retryEveryMs) return yield* failed.error
    const set = yield* Effect.tapError(readKeys(options), (error) =>
      // from when it ended: whoever waited for it is not to wait for another one
      Effect.map(Clock.currentTimeMillis, (ended) => {
        failed = { error, at: ended }
      }).pipe(
        Effect.andThen(
          Effect.annotateLogs(Effect.logError("identity.unavailable"), {
            issuer: options.issuer,
            reason: error.reason
          })
        )
      )
    )
    failed = undefined
    known = { set, readAt: now }
    return known
  })

  /** Keys not older than this, read by one request at a time. Whoever needs none that are newer does not wait for that. */
  const notOlderThan = (ageMs: number): Effect.Effect<Known, IdentityUnavailable> => {
    const knownOr = (otherwise: Effect.Effect<Known, IdentityUnavailable>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        known !== undefined && now - known.readAt < ageMs ? Effect.succeed(known) : otherwise
      )
    return knownOr(one.withPermits(1)(knownOr(read)))
  }

  /** The key that a token names. A name that is not known has the keys read anew. */
  return Effect.fnUntraced(function* (header: JWTHeaderParameters) {
    let answer = yield* keyIn(yield* notOlderThan(believedMs), header)
    if (answer._tag === "Unknown") answer = yield* keyIn(yield* notOlderThan(unknownEveryMs), header)
    if (answer._tag === "Found") return answer.key
    const reason = "The token is signed with a key that the identity provider does not have."
    return yield* new TokenRefused({ reason, subject: null })
  })
})
