import { Console, Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandFailed } from "../config/CommandFailed.ts"
import { forgetSession, readSession, writeSession } from "../config/OperatorSession.ts"
import { clientOf, connect, connectionFlags, present } from "./operator.ts"
import { printRecord } from "./print.ts"

/** How long a browser may take. */
const patience = "10 minutes"

const fromFlag = (flag: Option.Option<string>, variable: string, what: string) =>
  Option.match(
    Option.orElse(flag, () => present(variable)),
    {
      onNone: () => Effect.fail(new CommandFailed({ message: `${what} is not known: set ${variable}.` })),
      onSome: (given) => Effect.succeed(given)
    }
  )

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

/** `bursar operator login` */
export const loginCommand = Command.make(
  "login",
  {
    operatorUrl: connectionFlags.operatorUrl,
    json: connectionFlags.json,
    issuer: text("issuer", "The identity provider; by default OPERATOR_OIDC_ISSUER"),
    clientId: text("client-id", "The public client to sign in with; by default OPERATOR_OIDC_CLIENT_ID"),
    audience: text("audience", "Whom the token is for; by default OPERATOR_OIDC_AUDIENCE, or the client itself"),
    scope: Flag.String("scope").pipe(Flag.withDescription("What to ask the provider for"), Flag.withDefault("openid")),
    device: Flag.Boolean("device").pipe(
      Flag.withDescription("Sign in with a browser on another machine"),
      Flag.withDefault(false)
    )
  },
  Effect.fn(function* ({ device, json, scope, ...flags }) {
    const operatorUrl = yield* fromFlag(flags.operatorUrl, "BURSAR_OPERATOR_URL", "The operator API")
    const issuer = yield* fromFlag(flags.issuer, "OPERATOR_OIDC_ISSUER", "The identity provider")
    const clientId = yield* fromFlag(flags.clientId, "OPERATOR_OIDC_CLIENT_ID", "The client to sign in with")
    const audience = Option.getOrElse(
      Option.orElse(flags.audience, () => present("OPERATOR_OIDC_AUDIENCE")),
      () => clientId
    )
    const { loginByBrowser, loginByDevice } = yield* Effect.promise(() => import("@bursar/oidc/OidcLogin"))
    const options = { issuer, clientId, audience, scope }
    // beside the result, which programs may read
    const login = device
      ? loginByDevice(options, ({ code, url }) => Console.error(`Open ${url}\nand compare the code: ${code}`))
      : loginByBrowser(options, (url) => Console.error(`Open this page in a browser on this machine:\n${url}`))
    const { expiresAt, refreshToken, token } = yield* login.pipe(
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => Effect.fail(new CommandFailed({ message: "Nobody has signed in. Run the command again." }))
      })
    )
    // the service says first whether it takes the token
    const client = yield* clientOf({ baseUrl: operatorUrl, token: Redacted.make(token) })
    const shown = yield* client.session.show()
    yield* writeSession({
      operator_url: operatorUrl,
      issuer,
      client_id: clientId,
      audience,
      scope,
      token,
      expires_at: expiresAt,
      refresh_token: refreshToken
    })
    yield* printRecord(json, { ...shown, renewed: refreshToken !== null })
  })
).pipe(
  Command.withDescription("Sign in at the identity provider, and keep the session for your other commands"),
  Command.withExamples([
    { command: "bursar operator login", description: "With a browser on this machine" },
    { command: "bursar operator login --device", description: "With a browser elsewhere, such as over SSH" }
  ])
)

/** `bursar operator logout` */
export const logoutCommand = Command.make(
  "logout",
  { json: connectionFlags.json },
  Effect.fn(function* ({ json }) {
    const session = yield* readSession
    if (Option.isNone(session)) return yield* new CommandFailed({ message: "You are not signed in." })
    const { client_id: clientId, issuer, operator_url: baseUrl, refresh_token: refreshToken, token } = session.value
    // the file goes first: whatever fails afterwards, this machine can do nothing more
    yield* forgetSession
    const client = yield* clientOf({ baseUrl, token: Redacted.make(token) })
    const ended = yield* client.session.end().pipe(
      Effect.map((answer) => answer.ended),
      Effect.orElseSucceed(() => false)
    )
    const { revokeLogin } = yield* Effect.promise(() => import("@bursar/oidc/OidcLogin"))
    const revoked =
      refreshToken !== null &&
      (yield* Effect.orElseSucceed(revokeLogin({ issuer, clientId }, refreshToken), () => false))
    yield* printRecord(json, { ended_at_service: ended, revoked_at_provider: revoked })
    if (refreshToken !== null && !revoked)
      return yield* new CommandFailed({
        message: "The session is removed here, but the provider did not revoke it: end it there, too."
      })
  })
).pipe(Command.withDescription("Sign out: the service and the provider take the session no more"))

/** `bursar operator whoami` */
export const whoamiCommand = Command.make(
  "whoami",
  connectionFlags,
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    yield* printRecord(options.json, yield* client.session.show())
  })
).pipe(Command.withDescription("Who the service takes you for, with which role, and until when"))
