import { Effect, type Scope } from "effect"
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { type Configuration, Provider } from "oidc-provider"

/** The API that tokens are for, and the client that people sign in with. */
export const audience = "https://bursar.example.com/operators"
/** A public client, as the command is. */
export const clientId = "bursar-cli"
/** A client of the same provider that has nothing to do with the service. */
export const otherClientId = "wiki"

const clientOf = (id: string) => ({
  client_id: id,
  token_endpoint_auth_method: "none" as const,
  application_type: "native" as const,
  grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
  redirect_uris: ["http://127.0.0.1/callback"],
  response_types: ["code" as const]
})

/** A pair of keys as a provider has them: for one algorithm, with a name. */
export const makeKey = async (alg: "RS256" | "ES256" | "EdDSA", kid: string) => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const jwk: JWK = { ...(await exportJWK(privateKey)), kid, alg, use: "sig" }
  return { alg, kid, jwk, privateKey, publicKey }
}

/** A pair of keys as a provider has them. */
export type ProviderKey = Awaited<ReturnType<typeof makeKey>>

const configurationOf = (keys: ReadonlyArray<ProviderKey>, rolesOf: (subject: string) => ReadonlyArray<string>) =>
  ({
    clients: [clientOf(clientId), clientOf(otherClientId)],
    jwks: { keys: keys.map(({ jwk }) => jwk) },
    pkce: { required: () => true },
    scopes: ["openid", "offline_access", "operate"],
    claims: { openid: ["sub", "roles"] },
    conformIdTokenClaims: false,
    issueRefreshToken: () => true,
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, roles: rolesOf(sub) }) }),
    extraTokenClaims: (_context, token) => ({
      roles: "accountId" in token && token.accountId !== undefined ? rolesOf(token.accountId) : []
    }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ["a key of the test"] },
    ttl: { AccessToken: 600, IdToken: 600, Grant: 600, Session: 600, Interaction: 600, DeviceCode: 600 },
    features: {
      devInteractions: { enabled: false },
      deviceFlow: {
        enabled: true,
        userCodeConfirmSource: (context, form) => {
          context.body = form
        }
      },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => ({
          scope: "operate",
          audience: resource,
          accessTokenTTL: 600,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: keys[0]?.alg ?? "RS256" } }
        })
      }
    }
  }) satisfies Configuration

/** What the provider finds out of a person: who it is, at once and without asking. */
const interact = async (
  provider: Provider,
  subject: string,
  [request, response]: readonly [IncomingMessage, ServerResponse]
) => {
  const details = await provider.interactionDetails(request, response)
  if (details.prompt.name === "login")
    return provider.interactionFinished(request, response, { login: { accountId: subject } })
  const grant = new provider.Grant({ accountId: subject, clientId: String(details.params["client_id"]) })
  grant.addOIDCScope("openid offline_access operate")
  grant.addResourceScope(audience, "operate")
  return provider.interactionFinished(
    request,
    response,
    { consent: { grantId: await grant.save() } },
    { mergeWithLastSubmission: true }
  )
}

/** A real OpenID provider on a free port, whose people sign in without being asked. */
export const startProvider = Effect.fnUntraced(function* (
  first: ReadonlyArray<ProviderKey>
): Effect.fn.Return<TestProvider, never, Scope.Scope> {
  const state = {
    subject: "subject-of-alice",
    roles: new Map<string, ReadonlyArray<string>>(),
    isAway: false,
    requests: [] as Array<string>
  }
  let handle = (_request: IncomingMessage, response: ServerResponse): unknown => response.writeHead(503).end()
  const server = createServer((request, response) => {
    state.requests.push(request.url ?? "")
    if (state.isAway) return request.socket.destroy()
    return handle(request, response)
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            server.closeAllConnections()
            server.close(() => resolve())
          })
      )
  )
  // it listens on TCP, so it has a port
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let keys = first
  const serve = () => {
    const provider = new Provider(
      issuer,
      configurationOf(keys, (subject) => state.roles.get(subject) ?? [])
    )
    const callback = provider.callback()
    handle = (request, response) => {
      if (request.url?.startsWith("/interaction/") !== true) return callback(request, response)
      return interact(provider, state.subject, [request, response]).catch((error: unknown) =>
        response.writeHead(500).end(String(error))
      )
    }
  }
  serve()
  return {
    issuer,
    state,
    rotate: (to) => {
      keys = to
      serve()
    },
    sign: (claims, { key = keys[0], typ = "at+jwt" } = {}) => {
      if (key === undefined) throw new Error("there is no key")
      const now = Math.floor(Date.now() / 1_000)
      const usual = {
        iss: issuer,
        aud: audience,
        sub: "subject-of-alice",
        client_id: clientId,
        iat: now,
        exp: now + 300
      }
      return Effect.promise(() =>
        new SignJWT({ ...usual, ...claims })
          .setProtectedHeader({ alg: key.alg, kid: key.kid, typ })
          .sign(key.privateKey)
      )
    }
  }
})

/** The provider of a test. */
export interface TestProvider {
  readonly issuer: string
  readonly state: {
    /** Who signs in next. */
    subject: string
    /** What the tokens of a subject say of its roles. */
    readonly roles: Map<string, ReadonlyArray<string>>
    isAway: boolean
    readonly requests: Array<string>
  }
  /** Puts other keys in the place of those that it has; sessions and codes are forgotten. */
  readonly rotate: (keys: ReadonlyArray<ProviderKey>) => void
  /** A token with claims that the provider would not give, signed with a key that it has. */
  readonly sign: (
    claims: Readonly<Record<string, unknown>>,
    how?: { readonly key?: ProviderKey; readonly typ?: string }
  ) => Effect.Effect<string>
}
