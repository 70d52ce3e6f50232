import { Effect, Schema } from "effect"
import { decodeJwt } from "jose"
import * as client from "openid-client"
import { loopbackCallback } from "./internal/loopbackCallback.ts"
import { isLocalHttp } from "./OidcOptions.ts"

/** A person could not be signed in. */
export class LoginFailed extends Schema.TaggedError<LoginFailed>()("LoginFailed", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

/** Where to sign in, as which client, and for whom the token is to be. */
export interface LoginOptions {
  readonly issuer: string
  /** A public client of the provider: the command can keep no secret from the person who runs it. */
  readonly clientId: string
  readonly audience: string
  readonly scope: string
}

/** What a person has signed in with. */
export interface SignedIn {
  readonly token: string
  /** Unix milliseconds. */
  readonly expiresAt: number
  /** What a new token is asked for with; null where the provider gives none. */
  readonly refreshToken: string | null
}

const failureOf = (thrown: unknown): LoginFailed => {
  if (thrown instanceof client.ResponseBodyError || thrown instanceof client.AuthorizationResponseError)
    return new LoginFailed({ reason: `The identity provider refused: ${thrown.error_description ?? thrown.error}.` })
  return new LoginFailed({
    reason: `The identity provider could not be asked: ${thrown instanceof Error ? thrown.message : "unknown"}.`
  })
}

const asking = <A>(call: () => Promise<A>): Effect.Effect<A, LoginFailed> =>
  Effect.tryPromise({ try: call, catch: failureOf })

const discover = ({ clientId, issuer }: Pick<LoginOptions, "clientId" | "issuer">) =>
  asking(() =>
    client.discovery(new URL(issuer), clientId, undefined, client.None(), {
      execute: isLocalHttp(issuer) ? [client.allowInsecureRequests] : []
    })
  )

const claimsOf = (token: string | undefined) => {
  try {
    return token === undefined ? undefined : decodeJwt(token)
  } catch {
    // an access token that only the provider can read
    return undefined
  }
}

const isFor = (token: string | undefined, audience: string): token is string =>
  [claimsOf(token)?.aud ?? []].flat().includes(audience)

/** The token that is for the audience: the access token or, where the audience is the client itself, the ID token. */
const pick = Effect.fnUntraced(function* (
  tokens: client.TokenEndpointResponse,
  audience: string
): Effect.fn.Return<SignedIn, LoginFailed> {
  const token = [tokens.access_token, tokens.id_token].find((one) => isFor(one, audience))
  const expiry = claimsOf(token)?.exp
  if (token === undefined || expiry === undefined)
    return yield* new LoginFailed({ reason: `The identity provider gave no token for ${audience}.` })
  return { token, expiresAt: expiry * 1_000, refreshToken: tokens.refresh_token ?? null }
})

/** Names the API that the token is to be for (RFC 8707), unless that is the client itself. */
const requested = ({ audience, clientId, scope }: LoginOptions): Record<string, string> => ({
  scope,
  ...(audience === clientId ? {} : { resource: audience, audience })
})

/**
 * Signs a person in with a browser on this machine: authorization code with PKCE, back to a free port of the loopback interface.
 * `show` is told the URL to open.
 */
export const loginByBrowser = Effect.fn("oidc.loginByBrowser")(function* <E, R>(
  options: LoginOptions,
  show: (url: string) => Effect.Effect<void, E, R>
) {
  const config = yield* discover(options)
  const [verifier, state, nonce] = [client.randomPKCECodeVerifier(), client.randomState(), client.randomNonce()]
  const callback = yield* loopbackCallback(state)
  const challenge = yield* asking(() => client.calculatePKCECodeChallenge(verifier))
  const url = client.buildAuthorizationUrl(config, {
    ...requested(options),
    redirect_uri: callback.url,
    code_challenge: challenge,
    code_challenge_method: "S256",
    state,
    nonce
  })
  yield* show(url.href)
  const answered = yield* callback.arrived
  const tokens = yield* asking(() =>
    client.authorizationCodeGrant(
      config,
      answered,
      { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce },
      options.audience === options.clientId ? {} : { resource: options.audience }
    )
  )
  return yield* pick(tokens, options.audience)
}, Effect.scoped)

/** Signs a person in with a browser elsewhere (RFC 8628). `show` is told where to go, and the code to compare there. */
export const loginByDevice = Effect.fn("oidc.loginByDevice")(function* <E, R>(
  options: LoginOptions,
  show: (told: { readonly url: string; readonly code: string }) => Effect.Effect<void, E, R>
) {
  const config = yield* discover(options)
  const device = yield* asking(() => client.initiateDeviceAuthorization(config, requested(options)))
  yield* show({ url: device.verification_uri_complete ?? device.verification_uri, code: device.user_code })
  const parameters = options.audience === options.clientId ? {} : { resource: options.audience }
  const tokens = yield* Effect.tryPromise({
    try: (signal) => client.pollDeviceAuthorizationGrant(config, device, parameters, { signal }),
    catch: failureOf
  })
  return yield* pick(tokens, options.audience)
})

/** A new token for a person who is signed in. */
export const refreshLogin = Effect.fn("oidc.refreshLogin")(function* (options: LoginOptions, refreshToken: string) {
  const config = yield* discover(options)
  const tokens = yield* asking(() =>
    client.refreshTokenGrant(
      config,
      refreshToken,
      options.audience === options.clientId ? {} : { resource: options.audience }
    )
  )
  const picked = yield* pick(tokens, options.audience)
  return { ...picked, refreshToken: picked.refreshToken ?? refreshToken }
})

/** Has the provider give no new token for a refresh token any more (RFC 7009). Providers without that do nothing. */
export const revokeLogin = Effect.fn("oidc.revokeLogin")(function* (
  options: Pick<LoginOptions, "clientId" | "issuer">,
  refreshToken: string
) {
  const config = yield* discover(options)
  if (config.serverMetadata().revocation_endpoint === undefined) return false
  yield* asking(() => client.tokenRevocation(config, refreshToken, { token_type_hint: "refresh_token" }))
  return true
})
