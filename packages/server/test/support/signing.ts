import { contentDigestOf } from "@bursar/api/signature/contentDigest"
import {
  generateSigningKey,
  importPrivateKey,
  type PrivateJwk,
  signEd25519,
  thumbprint
} from "@bursar/api/signature/Ed25519"
import { signatureBase } from "@bursar/api/signature/signatureBase"
import type { Command } from "@bursar/core/engine/Command"
import { addSigningKey } from "@bursar/core/signature/signingKeyCommands"
import { parseKey } from "@bursar/core/access/KeyFormat"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { makeSigner, type RequestToSign } from "@bursar/api/signature/signRequest"
import { Clock, Effect } from "effect"
import * as Base64 from "effect/encoding/Base64"

/** The authority under which the servers under test are reached. */
export const authority = "api.example.test"

/** The id of an API key. */
export const idOfKey = (key: string): string => parseKey(key)?.id ?? ""

interface Seeder {
  readonly submit: <A>(tenant: TenantId, command: Command<A>) => Effect.Effect<A>
}

/** A pair whose public key is registered for an API key, and what signs with it. */
export const registerPair = Effect.fnUntraced(function* (seeder: Seeder, tenant: TenantId, key: string) {
  const { keyid, privateJwk, publicJwk } = yield* generateSigningKey
  yield* seeder.submit(tenant, addSigningKey({ keyid, apiKeyId: idOfKey(key), publicKey: publicJwk.x }))
  return { keyid, privateJwk, publicJwk, signer: yield* makeSigner(privateJwk) }
})

/** A request, ready to sign. */
export const requestOf = (
  body: string | Uint8Array<ArrayBuffer>,
  idempotencyKey: string,
  more: Partial<RequestToSign> = {}
): RequestToSign => ({
  method: "POST",
  authority,
  path: "/v1/bookings",
  idempotencyKey,
  contentType: "application/json",
  body: typeof body === "string" ? new TextEncoder().encode(body) : body,
  ...more
})

/** Signs now as somebody whose clock is that many milliseconds off. */
export const withClockOff = <A, E, R>(offMs: number, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Clock.Clock, (clock) =>
    Effect.provideService(effect, Clock.Clock, {
      ...clock,
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + offMs,
      currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + offMs)
    })
  )

/** Signs a request with a nonce that is given, as a careless signer may. */
export const signWithNonce = Effect.fnUntraced(function* (
  privateJwk: PrivateJwk,
  nonce: string,
  request: RequestToSign
) {
  const digest = yield* contentDigestOf(request.body)
  const values = [
    ["@method", request.method],
    ["@authority", request.authority],
    ["@path", request.path],
    ["idempotency-key", request.idempotencyKey],
    ["content-type", request.contentType],
    ["content-digest", digest]
  ] as const
  const created = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const keyid = yield* thumbprint(privateJwk)
  const names = values.map(([name]) => `"${name}"`).join(" ")
  const params = `(${names});created=${created};expires=${created + 60};keyid="${keyid}";nonce="${nonce}";tag="bursar-v1"`
  const key = yield* importPrivateKey(privateJwk)
  const signature = yield* signEd25519(key, new TextEncoder().encode(signatureBase(values, params)))
  return {
    "content-digest": digest,
    "signature-input": `sig1=${params}`,
    signature: `sig1=:${Base64.encode(signature)}:`
  }
})
