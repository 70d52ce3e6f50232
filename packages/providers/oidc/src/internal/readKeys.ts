import { IdentityUnavailable } from "@bursar/core/port/IdentityTokens"
import { Effect, Schema } from "effect"
import { createLocalJWKSet, type JSONWebKeySet } from "jose"
import { isLocalHttp, type OidcOptions } from "../OidcOptions.ts"

const Discovery = Schema.Struct({ issuer: Schema.String, jwks_uri: Schema.String })
const KeySet = Schema.Struct({ keys: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)) })

const unavailable = (reason: string) => () => new IdentityUnavailable({ reason })

const decodeDiscovery = (document: unknown) =>
  Effect.mapError(
    Schema.decodeUnknownEffect(Discovery)(document),
    unavailable("the configuration of the identity provider names no issuer or no keys")
  )

const decodeKeys = (document: unknown) =>
  Effect.mapError(
    Schema.decodeUnknownEffect(KeySet)(document),
    unavailable("the keys of the identity provider are no JSON Web Key Set")
  )

/** Whether the keys come by a way that nobody can change them on: https, or http on this machine where the issuer is there, too. */
const isProtected = (url: string, issuer: string): boolean =>
  URL.parse(url)?.protocol === "https:" || (isLocalHttp(url) && isLocalHttp(issuer))

/** Reads where the provider's keys are, and the keys. */
export const readKeys = Effect.fn("oidc.readKeys")(function* ({ fetchDocument, issuer }: OidcOptions) {
  const document = yield* fetchDocument(`${issuer.replace(/\/$/u, "")}/.well-known/openid-configuration`)
  const discovered = yield* decodeDiscovery(document)
  if (discovered.issuer !== issuer)
    return yield* new IdentityUnavailable({ reason: "the identity provider calls itself by another issuer" })
  if (!isProtected(discovered.jwks_uri, issuer))
    return yield* new IdentityUnavailable({ reason: "the keys of the identity provider are not at an https URL" })
  const { keys } = yield* decodeKeys(yield* fetchDocument(discovered.jwks_uri))
  // what is no usable key fits no token: jose looks at each when it picks one
  return yield* Effect.try({
    try: () => createLocalJWKSet({ keys: [...keys] } as JSONWebKeySet),
    catch: unavailable("the keys of the identity provider are no JSON Web Key Set")
  })
})
