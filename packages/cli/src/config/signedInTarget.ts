import { Clock, Effect, Option } from "effect"
import { CommandFailed } from "./CommandFailed.ts"
import { type OperatorSession, readSession, writeSession } from "./OperatorSession.ts"

/** How long before its expiry a token is renewed: a command may take a while. */
const marginMs = 30_000

/** The session with a token that is good for a while yet. */
const fresh = Effect.fnUntraced(function* (session: OperatorSession) {
  const { audience, client_id: clientId, expires_at: expiresAt, issuer, refresh_token: refreshToken, scope } = session
  const now = yield* Clock.currentTimeMillis
  if (now + marginMs < expiresAt) return session
  if (refreshToken === null) {
    if (now < expiresAt) return session
    return yield* new CommandFailed({ message: "Your session has expired. Run bursar operator login." })
  }
  const { refreshLogin } = yield* Effect.promise(() => import("@bursar/oidc/OidcLogin"))
  const renewed = yield* Effect.mapError(
    refreshLogin({ issuer, clientId, audience, scope }, refreshToken),
    ({ reason }) => new CommandFailed({ message: `${reason} Run bursar operator login.` })
  )
  const next = {
    ...session,
    token: renewed.token,
    expires_at: renewed.expiresAt,
    refresh_token: renewed.refreshToken
  }
  yield* writeSession(next)
  return next
})

/** The operator port that the person has signed in for, with its token. It goes to no other port. */
export const signedInTarget = Effect.fn("signedInTarget")(function* (named: Option.Option<string>) {
  const session = Option.filter(yield* readSession, ({ operator_url: url }) =>
    Option.match(named, { onNone: () => true, onSome: (given) => given === url })
  )
  if (Option.isNone(session)) return Option.none()
  const { operator_url: baseUrl, token } = yield* fresh(session.value)
  return Option.some({ baseUrl, token })
})
