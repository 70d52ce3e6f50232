import { TokenRefused, type TokenVerifier, type VerifiedToken } from "@bursar/core/port/IdentityTokens"
import { Clock, Effect, Schema } from "effect"
import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from "jose"
import { makeKeyCache } from "./internal/keyCache.ts"
import { clockToleranceSecondsDefault, type OidcOptions, tokenSecondsMaxDefault } from "./OidcOptions.ts"

/** Signatures that prove who made them. Never `none`, and never a secret that both sides know: public keys would be such secrets. */
const algorithms = ["RS256", "ES256", "EdDSA"]

/** ID tokens and access tokens. A provider signs other things for the same audience, such as logout tokens. */
const types: ReadonlySet<string> = new Set(["jwt", "at+jwt", "application/at+jwt"])

const refused = (reason: string, subject: string | null = null) => new TokenRefused({ reason, subject })

const headerOf = Effect.fnUntraced(function* (token: string) {
  const header = yield* Effect.try({
    try: () => decodeProtectedHeader(token),
    catch: () => refused("The token cannot be read.")
  })
  const { alg = "", typ } = header
  if (!algorithms.includes(alg)) return yield* refused(`The token must be signed with ${algorithms.join(", ")}.`)
  if (typ !== undefined && !types.has(typ.toLowerCase()))
    return yield* refused("The token is neither an ID token nor an access token.")
  return { ...header, alg }
})

const subjectOf = ({ sub }: JWTPayload): string | null => sub ?? null

/** Why jose refuses a token. Those that name a claim come after the signature was found right. */
const refusalOf = (thrown: unknown): TokenRefused => {
  if (thrown instanceof errors.JWTExpired) {
    const reason =
      thrown.claim === "iat" ? "The token was issued too long ago: sign in again." : "The token has expired."
    return refused(reason, subjectOf(thrown.payload))
  }
  if (thrown instanceof errors.JWTClaimValidationFailed) {
    const reasons: Readonly<Record<string, string>> = {
      aud: "The token is for another audience.",
      iss: "The token is of another issuer.",
      nbf: "The token is not valid yet.",
      iat: "The token says that it was issued in the future, or not when."
    }
    const reason = reasons[thrown.claim] ?? `The token lacks what it must say: ${thrown.claim}.`
    return refused(reason, subjectOf(thrown.payload))
  }
  return refused("The signature of the token is not right.")
}

/** The client that a token was given to; undefined where it does not say. */
const partyOf = ({ azp, client_id: client }: JWTPayload): unknown => azp ?? client

/** What jose does not look at. */
const objectionTo = (payload: JWTPayload, { audience, clients = [audience] }: OidcOptions): string | null => {
  const party = partyOf(payload)
  if (party === undefined && Array.isArray(payload.aud) && payload.aud.length > 1)
    return "The token is for several audiences and does not say which client it was given to."
  if (party !== undefined && !(typeof party === "string" && clients.includes(party)))
    return "The token was given to another client."
  return payload["events"] === undefined ? null : "The token is neither an ID token nor an access token."
}

const decodeFacts = Schema.decodeUnknownEffect(
  Schema.Struct({ iss: Schema.String, sub: Schema.NonEmptyString, iat: Schema.Number, exp: Schema.Number })
)

const verifiedOf = (payload: JWTPayload, secondsMax: number): Effect.Effect<VerifiedToken, TokenRefused> =>
  decodeFacts(payload).pipe(
    Effect.mapError(() => refused("The token does not say who it is for, or until when.")),
    Effect.map(({ exp, iat, iss, sub }) => ({
      issuer: iss,
      subject: sub,
      issuedAt: Math.floor(iat * 1_000),
      // whatever goes on for longer than one request must not go on once the token is not taken any more
      expiresAt: Math.floor(Math.min(exp, iat + secondsMax) * 1_000),
      claims: payload
    }))
  )

/**
 * Verifies tokens of an OpenID provider: signature, issuer, audience, client and times. The provider's keys are read from where its
 * configuration names them, when the first token comes, and kept for ten minutes.
 */
export const makeOidcTokens = Effect.fn("oidc.makeTokens")(function* (
  options: OidcOptions
): Effect.fn.Return<TokenVerifier> {
  const { audience, clockToleranceSeconds, issuer, tokenSecondsMax = tokenSecondsMaxDefault } = options
  const keyFor = yield* makeKeyCache(options)
  return {
    verify: Effect.fn("oidc.verify")(function* (token: string) {
      const key = yield* keyFor(yield* headerOf(token))
      const now = yield* Clock.currentTimeMillis
      const { payload } = yield* Effect.tryPromise({
        try: () =>
          jwtVerify(token, key, {
            algorithms,
            issuer,
            audience,
            currentDate: new Date(now),
            clockTolerance: clockToleranceSeconds ?? clockToleranceSecondsDefault,
            maxTokenAge: tokenSecondsMax,
            requiredClaims: ["exp", "sub"]
          }),
        catch: refusalOf
      })
      const objection = objectionTo(payload, options)
      if (objection !== null) return yield* refused(objection, subjectOf(payload))
      return yield* verifiedOf(payload, tokenSecondsMax)
    })
  }
})
