import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import type { Operator } from "@bursar/api/operator/Operator"
import type { TokenVerifier, VerifiedToken } from "@bursar/core/port/IdentityTokens"
import { Effect, Result } from "effect"
import { checking } from "./checking.ts"
import { recordRefusal, recordSignIn } from "./recordSignIn.ts"
import { digestOfToken, type Session, Sessions } from "../identity/Sessions.ts"
import { identifyOperator, type SignInPolicy } from "../identity/SignInPolicy.ts"

/** Whether a text has the form of a signed JSON Web Token. Tokens of operators have none of its dots. */
export const looksSigned = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]*$/u.test(token)

/** Who came, and the session that it came in. */
export interface Identified {
  readonly operator: Operator["Service"]
  readonly session: Session
}

const invalid = (message: string): ApiError => apiError("key_invalid", { message })

const away = (): ApiError =>
  apiError("provider_unavailable", {
    message: "The identity provider of operators does not answer, and its key for this token is not known yet."
  })

/** What records say of a token that was verified. */
const paramsOf = ({ issuer, subject }: VerifiedToken, digest: string) => ({ issuer, subject, token: digest })

/** Refuses a token, and writes that down. */
const refuse = (reason: string, params: Readonly<Record<string, string>>) =>
  Effect.andThen(recordRefusal(401, { ...params, reason }), Effect.fail(invalid(reason)))

/** Finds out which operator a token of the identity provider is of. The first use of each token is written down, and each refusal. */
export const operatorByIdentity = Effect.fn("identity.operatorOf")(function* (
  { policy, verifier }: { readonly policy: SignInPolicy; readonly verifier: TokenVerifier },
  token: string
) {
  const sessions = yield* Sessions
  const verified = yield* verifier.verify(token).pipe(
    Effect.catchTags({
      TokenRefused: ({ reason, subject }) => refuse(reason, subject === null ? {} : { subject }),
      IdentityUnavailable: () => Effect.fail(away())
    })
  )
  const session = { digest: digestOfToken(token), expiresAt: verified.expiresAt }
  const params = paramsOf(verified, session.digest)
  if (sessions.isOver(session.digest)) return yield* refuse("You signed out: sign in again.", params)
  const found = identifyOperator(policy, verified.claims)
  if (Result.isFailure(found)) return yield* refuse(found.failure, params)
  yield* sessions.first(session, checking(recordSignIn(found.success, params)))
  const operator = { ...found.success, credential: "openid_connect" as const, expiresAt: verified.expiresAt }
  return { operator, session } satisfies Identified
})
