import { SigningKey, allSigningKeys, signingKeysOf } from "@bursar/core/signature/SigningKey"
import { nonceKeptMs, SignatureNonce } from "@bursar/core/signature/SignatureNonce"
import { type RequestSignature, signedIdempotent } from "@bursar/core/signature/signedIdempotent"
import { SignedRegistration } from "@bursar/core/signature/SignedRegistration"
import { addSigningKey, revokeSigningKey } from "@bursar/core/signature/signingKeyCommands"
import { Queries } from "@bursar/core/store/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { addApiKey } from "@bursar/core/access/tenantCommands"
import { assert } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { adjust, looking, writing } from "../../fixtures/commands.ts"
import { apiKeyFields } from "../../fixtures/keys.ts"
import { alikeTexts, difficultText } from "../../fixtures/records.ts"
import { requestSignature, signingKeyFields } from "../../fixtures/signatures.ts"
import { commitAt, newTenant, past } from "../../fixtures/tenants.ts"
import { TwoWriters } from "../harness.ts"
import type { StorageIt } from "./services.ts"
import { readGroup, readRecord, putRecord } from "@bursar/core/engine/Records"

const request = (signature: RequestSignature, key = "key-1") =>
  signedIdempotent(signature, {
    key,
    endpoint: "POST /v1/adjustments",
    fingerprint: "a".repeat(64),
    render: ({ id }) => ({ id }),
    resourceId: ({ id }) => id,
    command: adjust(7n)
  })

const signingKeys = looking([readGroup(SigningKey, allSigningKeys)], (view) => signingKeysOf(view))

const nonceOf = ({ keyid, nonce }: RequestSignature) =>
  looking([readRecord(SignatureNonce, { keyid, nonce })], (view) =>
    view.get(SignatureNonce, { keyid: keyid, nonce: nonce })
  )

const racers = 50

/** Races one signed request after the other from two processes, and gives what each was told. */
const race = Effect.fnUntraced(function* (
  tenantId: TenantId,
  signature: RequestSignature,
  keyOf: (index: number) => string
) {
  const { first, second } = yield* TwoWriters
  return yield* Effect.forEach(
    Array.from({ length: racers }),
    (_, index) =>
      (index % 2 === 0 ? first : second).submit(tenantId, request(signature, keyOf(index))).pipe(
        Effect.map(({ outcome, replayed }) => (replayed ? `again ${JSON.stringify(outcome)}` : "done")),
        Effect.catchTag("Refusal", ({ code }) => Effect.succeed<string>(code))
      ),
    { concurrency: "unbounded" }
  )
})

/** What is kept of signatures: the keys that make them and the nonces that they have used. */
export const signatureTests = (it: StorageIt, timeoutMs: number): void => {
  it.effect(
    "signing keys round-trip, per API key and per tenant, oldest first",
    () =>
      Effect.gen(function* () {
        const tenants = yield* Tenants
        const [tenant, other] = [yield* newTenant({ createdAt: past }), yield* newTenant({ createdAt: past })]
        const [one, two, others] = [apiKeyFields(), apiKeyFields(), apiKeyFields()]
        yield* commitAt(tenant.id, past, addApiKey(one), addApiKey(two))
        yield* commitAt(other.id, past, addApiKey(others))
        const shared = signingKeyFields(one.id)
        const next = signingKeyFields(one.id)
        yield* commitAt(tenant.id, past + 2, addSigningKey(next))
        yield* commitAt(tenant.id, past + 3, addSigningKey({ ...shared, apiKeyId: two.id }))
        yield* commitAt(tenant.id, past + 4, addSigningKey(shared))
        // the same public key means nothing to the tenant of another
        yield* commitAt(other.id, past + 1, addSigningKey({ ...shared, apiKeyId: others.id }))
        const key = (fields: typeof shared, createdAt: number, revokedAt: number | null = null): SigningKey => ({
          ...fields,
          tenantId: tenant.id,
          createdAt,
          revokedAt
        })
        const expected = [key(next, past + 2), key({ ...shared, apiKeyId: two.id }, past + 3), key(shared, past + 4)]
        assert.deepStrictEqual(yield* tenants.signingKeys(tenant.id), expected)
        assert.deepStrictEqual(yield* commitAt(tenant.id, past + 5, signingKeys), [expected])

        yield* commitAt(tenant.id, past + 6, revokeSigningKey(shared.keyid, two.id))
        const after = expected.map((each) => (each.apiKeyId === two.id ? { ...each, revokedAt: past + 6 } : each))
        assert.deepStrictEqual(yield* tenants.signingKeys(tenant.id), after)
        assert.deepStrictEqual(yield* commitAt(tenant.id, past + 7, signingKeys), [after])
        assert.deepStrictEqual(yield* tenants.signingKeys(other.id), [
          { ...key({ ...shared, apiKeyId: others.id }, past + 1), tenantId: other.id }
        ])
      }),
    timeoutMs
  )

  it.effect(
    "a nonce round-trips, and belongs to its key and its tenant",
    () =>
      Effect.gen(function* () {
        const [tenant, other] = [yield* newTenant({ createdAt: past }), yield* newTenant({ createdAt: past })]
        const nonce = {
          keyid: difficultText,
          nonce: `|${difficultText}`,
          idempotencyKey: difficultText,
          contentDigest: difficultText,
          usedAt: past,
          forgetAt: past + 1_001
        }
        yield* commitAt(
          tenant.id,
          past,
          writing(() => [putRecord(SignatureNonce, nonce)])
        )
        const keys = [
          { keyid: nonce.keyid, nonce: nonce.nonce },
          { keyid: "another", nonce: nonce.nonce },
          { keyid: nonce.keyid, nonce: "another" }
        ]
        const check = looking(
          keys.map((key) => readRecord(SignatureNonce, key)),
          (view) => keys.map((key) => view.get(SignatureNonce, key))
        )
        assert.deepStrictEqual(yield* commitAt(tenant.id, past, check), [[nonce, undefined, undefined]])
        assert.deepStrictEqual(yield* commitAt(other.id, past, check), [[undefined, undefined, undefined]])
      }),
    timeoutMs
  )

  it.effect(
    "nonces and keys of signatures that differ in case, a blank or the writing of a letter alone are others",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant({ createdAt: past })
        const nonces = [
          ...alikeTexts("nonce-").map((nonce) => ({ keyid: "key", nonce })),
          ...alikeTexts("key-").map((keyid) => ({ keyid, nonce: "nonce" }))
        ].map((key) => ({ ...key, idempotencyKey: "1", contentDigest: "d", usedAt: past, forgetAt: past + 1_001 }))
        const see = looking(
          nonces.map((key) => readRecord(SignatureNonce, key)),
          (view) => nonces.filter((key) => view.get(SignatureNonce, key) !== undefined)
        )
        for (const [index, nonce] of nonces.entries()) {
          assert.deepStrictEqual(yield* commitAt(id, past, see), [nonces.slice(0, index)])
          yield* commitAt(
            id,
            past,
            writing(() => [putRecord(SignatureNonce, nonce)])
          )
        }
      }),
    timeoutMs
  )

  it.effect(
    "a signed request that registers something is kept whole, of one tenant, and once",
    () =>
      Effect.gen(function* () {
        const [tenant, other] = [yield* newTenant({ createdAt: past }), yield* newTenant({ createdAt: past })]
        const id = crypto.randomUUID()
        const evidence = { keyid: difficultText, signatureBase: difficultText, signature: "c2ln", body: "e30=" }
        const signature = requestSignature(past + 300_000, { makes: id, evidence })
        const registering = signedIdempotent(signature, {
          key: "key-1",
          endpoint: "POST /v1/deposit-addresses",
          fingerprint: "a".repeat(64),
          render: () => ({}),
          command: writing(() => []),
          registers: (changes) => changes
        })
        for (let times = 0; times < 2; times += 1) yield* commitAt(tenant.id, past, registering)
        const kept = looking([readRecord(SignedRegistration, id)], (view) => [view.get(SignedRegistration, id)])
        assert.deepStrictEqual(yield* commitAt(tenant.id, past, kept), [[{ id, ...evidence, recordedAt: past }]])
        assert.deepStrictEqual(yield* commitAt(other.id, past, kept), [[undefined]])
      }),
    timeoutMs
  )

  it.effect(
    "fifty racers with one signature have one effect and one answer",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const signature = requestSignature((yield* Clock.currentTimeMillis) + 300_000)
        const told = yield* race(id, signature, () => "key-1")
        assert.strictEqual(told.filter((answer) => answer === "done").length, 1)
        assert.strictEqual(new Set(told.filter((answer) => answer.startsWith("again "))).size, 1)
        assert.strictEqual(told.filter((answer) => answer.startsWith("again ")).length, racers - 1)
        assert.strictEqual((yield* (yield* Queries).register(id, { limit: 100 })).length, 1)
      }),
    timeoutMs
  )

  it.effect(
    "fifty racers with one nonce and a key each: one is carried out, the others are signature_replayed",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const signature = requestSignature((yield* Clock.currentTimeMillis) + 300_000)
        const told = yield* race(id, signature, (index) => `key-${index}`)
        assert.strictEqual(told.filter((answer) => answer === "done").length, 1)
        assert.strictEqual(told.filter((answer) => answer === "signature_replayed").length, racers - 1)
        const queries = yield* Queries
        assert.strictEqual((yield* queries.register(id, { limit: 100 })).length, 1)
        const winner = told.indexOf("done")
        assert.isDefined(yield* queries.idempotencyRecord(id, `key-${winner}`))
        assert.isUndefined(yield* queries.idempotencyRecord(id, `key-${winner === 0 ? 1 : 0}`))
      }),
    timeoutMs
  )

  it.effect(
    "a nonce is kept for as long as its signature could be in time, and then makes room",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant({ createdAt: past })
        const [early, late] = [requestSignature(past + 300_000), requestSignature(past + 900_000)]
        const forgetAt = past + 300_000 + nonceKeptMs
        yield* commitAt(id, past, request(early, "key-1"))
        const kept = {
          keyid: early.keyid,
          nonce: early.nonce,
          contentDigest: early.contentDigest,
          idempotencyKey: "key-1",
          usedAt: past,
          forgetAt
        }
        yield* commitAt(id, forgetAt, request(late, "key-2"))
        assert.deepStrictEqual(yield* commitAt(id, forgetAt, nonceOf(early)), [kept])
        yield* commitAt(id, forgetAt + 1, request(requestSignature(forgetAt), "key-3"))
        assert.deepStrictEqual(yield* commitAt(id, forgetAt + 1, nonceOf(early)), [undefined])
        const [still] = yield* commitAt(id, forgetAt + 1, nonceOf(late))
        assert.deepInclude(still, { nonce: late.nonce, idempotencyKey: "key-2" })
      }),
    timeoutMs
  )
}
