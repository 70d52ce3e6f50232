import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { createHash } from "node:crypto"
import { generateSigningKey, importPublicKey } from "@bursar/api/signature/Ed25519"
import { makeSigner } from "@bursar/api/signature/signRequest"
import { verifyRequest } from "@bursar/api/signature/verifyRequest"
import * as WriterLive from "@bursar/core/engine/Writer"
import { Writer } from "@bursar/core/engine/Writer"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Network } from "@bursar/core/money/Network"
import type { Payment, Trustline } from "@bursar/core/port/ChainSender"
import { type SigningRequest, type SignTransaction, TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { type KeyRef, Vault } from "@bursar/core/port/Vault"
import type { SignatureEvidence } from "@bursar/core/signature/SignatureEvidence"
import { addSigningKey, revokeSigningKey } from "@bursar/core/signature/signingKeyCommands"
import { addApiKey } from "@bursar/core/access/tenantCommands"
import type { TenantId, TenantKind } from "@bursar/core/tenant/Tenant"
import * as Memory from "@bursar/memory"
import { layerFakeNetworks, makeFakeNetwork } from "@bursar/testkit/fixtures/FakeNetwork"
import { apiKeyFields } from "@bursar/testkit/fixtures/keys"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import * as SealedSigner from "@bursar/vault/SealedSigner"
import * as SealedVault from "@bursar/vault/SealedVault"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import * as ecc from "tiny-secp256k1"

const masterKeys = Result.getOrThrow(parseMasterKeys(Redacted.make(`k:${Buffer.alloc(32, 1).toString("base64")}`)))
const contract = defaultCurrencies.byCode("USDT_ETH")?.asset?.contract ?? null

interface Written {
  readonly payments: ReadonlyArray<Payment>
  readonly feeMax: bigint
  readonly signers: ReadonlyArray<string>
  readonly trustlines?: ReadonlyArray<Trustline>
}

const write = (transaction: Written): Uint8Array =>
  Buffer.from(JSON.stringify(transaction, (_key, value) => (typeof value === "bigint" ? `${value}n` : value)))

const digestOf = (bytes: Uint8Array): Uint8Array => Uint8Array.from(createHash("sha256").update(bytes).digest())

/** A network whose transactions are written as JSON: what they pay, what they cost at most, and who must sign. */
const written = (network: Network) =>
  makeFakeNetwork(network, {
    parseAddress: Result.succeed,
    keys: { addressesOf: (publicKey) => [Buffer.from(publicKey).toString("hex")] },
    codec: {
      network,
      read: (unsigned) => {
        if (unsigned.length === 0) return Result.fail("it is empty")
        const read: Written = JSON.parse(Buffer.from(unsigned).toString(), (_key, value) =>
          typeof value === "string" && /^[0-9]+n$/u.test(value) ? BigInt(value.slice(0, -1)) : value
        )
        const digests = read.signers.map((address) => ({ address, digest: digestOf(unsigned) }))
        const { trustlines = [], feeMax, payments } = read
        return Result.succeed({
          payments,
          feeMax,
          digests,
          trustlines,
          guard: { _tag: "Expiry" },
          validUntil: null
        })
      },
      readSigned: () => Result.fail("nothing is read again"),
      finish: (unsigned, signatures) => {
        const fits = signatures.every(({ bytes, publicKey }) => ecc.verify(digestOf(unsigned), publicKey, bytes, true))
        return fits
          ? Result.succeed({ hash: Buffer.from(digestOf(unsigned)).toString("hex"), raw: unsigned })
          : Result.fail("a signature does not fit")
      }
    }
  })

const networks = layerFakeNetworks(["ethereum", "base", "stellar"].map(written))

const services = Layer.mergeAll(
  SealedSigner.layer(masterKeys, { currencies: defaultCurrencies, publicAuthorities: ["api.example.com"] }),
  SealedVault.layer(masterKeys, presetNetworks)
).pipe(Layer.provideMerge(WriterLive.layer), Layer.provideMerge(Layer.mergeAll(Layer.fresh(Memory.layer), networks)))

const baseRequest = {
  amount: { amount: "12.5", currency: "USDT_ETH" },
  network: "ethereum",
  destination: { address: "receiver" },
  reference: "invoice"
}

const asked: Payment = { to: "receiver", contract, units: 12_500_000n, memo: null }

/** A tenant with a wallet, and a partner that signs requests for it with a registered key. */
const partnerOf = Effect.fnUntraced(function* (kind: TenantKind) {
  const { id, slug } = yield* newTenant({ kind })
  const writer = yield* Writer
  const vault = yield* Vault
  const { keyid, privateJwk, publicJwk } = yield* generateSigningKey
  const apiKey = yield* writer.submit(id, addApiKey(apiKeyFields()))
  yield* writer.submit(id, addSigningKey({ apiKeyId: apiKey.id, keyid, publicKey: publicJwk.x }))
  const signer = yield* makeSigner(privateJwk)
  const seedId = yield* vault.createSeed(id)
  const key: KeyRef = { _tag: "Wallet", tenantId: id, seedId, network: "ethereum", index: 0 }
  const address = Buffer.from(yield* vault.publicKey(key)).toString("hex")
  const request = Effect.fnUntraced(function* (
    body: unknown = baseRequest,
    path = "/v1/chain-payouts",
    authority = "api.example.com"
  ) {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
    const fixed = { "content-type": "application/json", "idempotency-key": "one", host: authority }
    const signed = yield* signer.sign({
      method: "POST",
      authority,
      path,
      idempotencyKey: "one",
      contentType: "application/json",
      body: bytes
    })
    const headers: Readonly<Record<string, string>> = { ...fixed, ...signed }
    const { outcome } = yield* verifyRequest(
      { method: "POST", target: path, header: (name) => headers[name], body: bytes },
      { isOurs: () => true, findKey: () => importPublicKey(publicJwk), now: yield* Clock.currentTimeMillis }
    )
    const verified = Result.getOrThrow(outcome)
    const evidence: SignatureEvidence = {
      keyid: verified.keyid,
      signatureBase: verified.signatureBase,
      signature: verified.signature,
      body: bytes.toString("base64")
    }
    return evidence
  })
  /** Binds the same key to another API key of the partner's. */
  const bindAgain = Effect.gen(function* () {
    const another = yield* writer.submit(id, addApiKey(apiKeyFields()))
    yield* writer.submit(id, addSigningKey({ apiKeyId: another.id, keyid, publicKey: publicJwk.x }))
  })
  return { id, slug, seedId, keyid, key, address, request, bindAgain }
})

const partner = partnerOf("LIVE")

interface Trial {
  readonly payments?: ReadonlyArray<Payment>
  readonly feeMax?: bigint
  readonly requests?: ReadonlyArray<SigningRequest>
  readonly network?: Network
  readonly more?: Partial<SignTransaction>
}

const trying = (
  { address, id, key }: { readonly id: TenantId; readonly key: KeyRef; readonly address: string },
  { feeMax = 1n, more = {}, network = "ethereum", payments = [asked], requests = [] }: Trial
) =>
  Effect.flatMap(TransactionSigner, (signer) =>
    signer.sign({
      tenantId: id,
      network,
      unsigned: write({ payments, feeMax, signers: [address] }),
      signers: [{ address, key }],
      own: [],
      requests,
      ...more
    })
  )

const refusal = (of: Parameters<typeof trying>[0], trial: Trial) =>
  Effect.map(Effect.flip(trying(of, trial)), (error) => (error._tag === "SigningRefused" ? error.reason : error._tag))

describe("the signer of transactions", () => {
  it.effect("signs what a partner has signed a request for, and change to the tenant's own keys", () =>
    Effect.gen(function* () {
      const one = yield* partner
      const request = yield* one.request()
      const change: Payment = { to: one.address, contract: null, units: 5n, memo: null }
      const { hash } = yield* trying(one, { payments: [asked, change], requests: [request] })
      assert.match(hash, /^[0-9a-f]{64}$/u)
      yield* trying(one, { payments: [] })
      yield* trying(one, { payments: [asked, asked], requests: [request, yield* one.request()] })
    }).pipe(Effect.provide(services))
  )

  it.effect("signs for a request that names its tenant in any way in which the service takes it", () =>
    Effect.gen(function* () {
      const one = yield* partner
      for (const tenant of [null, one.slug, one.id, one.id.toUpperCase()])
        yield* trying(one, { requests: [yield* one.request({ ...baseRequest, tenant })] })
    }).pipe(Effect.provide(services))
  )

  it.effect("signs nothing on a network of another environment than the tenant's, not even between its own keys", () =>
    Effect.gen(function* () {
      const one = yield* partnerOf("SANDBOX")
      const requests = [yield* one.request()]
      const change: Payment = { to: one.address, contract: null, units: 5n, memo: null }
      for (const trial of [{ requests }, { payments: [change] }, { payments: [] }])
        assert.strictEqual(yield* refusal(one, trial), "the tenant is SANDBOX, and ethereum is LIVE")
    }).pipe(Effect.provide(services))
  )

  const others: Readonly<Record<string, Payment>> = {
    "another amount": { ...asked, units: asked.units + 1n },
    "less than was asked for": { ...asked, units: asked.units - 1n },
    "another receiver": { ...asked, to: "somebody else" },
    "another asset": { ...asked, contract: null },
    "a memo that nobody asked for": { ...asked, memo: { type: "text", value: "1" } }
  }
  for (const [what, payment] of Object.entries(others)) {
    it.effect(`refuses ${what}`, () =>
      Effect.gen(function* () {
        const one = yield* partner
        const requests = [yield* one.request()]
        assert.match(yield* refusal(one, { payments: [payment], requests }), /^nobody asked to pay/u)
      }).pipe(Effect.provide(services))
    )
  }

  it.effect("refuses to count one request for two payments, or what nobody has signed", () =>
    Effect.gen(function* () {
      const one = yield* partner
      const request = yield* one.request()
      assert.match(yield* refusal(one, { payments: [asked, asked], requests: [request] }), /^nobody asked/u)
      assert.match(yield* refusal(one, {}), /^nobody asked/u)
      const body = Buffer.from(JSON.stringify({ ...baseRequest, destination: { address: "thief" } })).toString("base64")
      const stolen = { ...asked, to: "thief" }
      for (const forged of [
        { ...request, body },
        { ...request, signature: Buffer.alloc(64).toString("base64") },
        { ...request, signatureBase: request.signatureBase.replace("POST", "GET") },
        { ...request, keyid: "unknown" }
      ]) {
        assert.match(yield* refusal(one, { payments: [stolen], requests: [forged] }), /^nobody asked/u)
        assert.match(yield* refusal(one, { requests: [forged] }), /does not verify|no active signing key/u)
      }
    }).pipe(Effect.provide(services))
  )

  it.effect("refuses requests for something else, for another tenant, or by a key that was revoked", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* partner, yield* partner]
      const elsewhere = yield* one.request(baseRequest, "/v1/withdrawals")
      assert.match(yield* refusal(one, { requests: [elsewhere] }), /the signed request is POST \/v1\/withdrawals/u)
      const theirs = yield* other.request()
      assert.match(yield* refusal(one, { requests: [theirs] }), /no active signing key/u)
      for (const tenant of [other.slug, other.id, one.slug.toUpperCase(), ""]) {
        const guarded = yield* one.request({ ...baseRequest, tenant })
        assert.match(yield* refusal(one, { requests: [guarded] }), /another tenant|no request for a chain payout/u)
      }
      const odd = yield* one.request({ ...baseRequest, amount: { amount: "12.5000001", currency: "USDT_ETH" } })
      assert.match(yield* refusal(one, { requests: [odd] }), /nobody asked/u)
      // what of it is no UTF-8 could be a memo
      const latin1 = yield* one.request(
        Buffer.from(JSON.stringify({ ...baseRequest, reference: "Jos\u00e9" }), "latin1")
      )
      assert.match(yield* refusal(one, { requests: [latin1] }), /no request for a chain payout/u)
      const twice = `${JSON.stringify(baseRequest).slice(0, -1)},"reference":"another"}`
      const repeated = yield* one.request(Buffer.from(twice))
      assert.match(yield* refusal(one, { requests: [repeated] }), /no request for a chain payout/u)
      const good = yield* one.request()
      yield* (yield* Writer).submit(one.id, revokeSigningKey(one.keyid, null))
      assert.match(yield* refusal(one, { requests: [good] }), /no active signing key/u)
    }).pipe(Effect.provide(services))
  )

  it.effect(
    "signs what a revoked key had signed before where an operator approved it since, and nothing else of that key",
    () =>
      Effect.gen(function* () {
        const one = yield* partner
        yield* TestClock.setTime(1_700_000_000_000)
        const before = yield* one.request()
        const revoked = yield* (yield* Writer).submit(one.id, revokeSigningKey(one.keyid, null))
        const revokedAt = revoked[0]?.revokedAt ?? assert.fail("it is not revoked")
        const trial = (request: SigningRequest, payments = [asked]) => ({ payments, requests: [request] })
        // whoever approved it before knew nothing of the revocation
        assert.match(yield* refusal(one, trial({ ...before, approvedAt: revokedAt })), /no active signing key/u)
        const approved = { ...before, approvedAt: revokedAt + 1 }
        assert.match(yield* refusal(one, trial(approved, [{ ...asked, to: "thief" }])), /^nobody asked/u)
        const forged = { ...approved, signature: Buffer.alloc(64).toString("base64") }
        assert.match(yield* refusal(one, trial(forged)), /does not verify/u)
        yield* TestClock.adjust("2 minutes")
        const later = { ...(yield* one.request()), approvedAt: revokedAt + 180_000 }
        assert.match(yield* refusal(one, trial(later)), /signed after its key had been revoked/u)
        assert.match((yield* trying(one, trial(approved))).hash, /^[0-9a-f]{64}$/u)
      }).pipe(Effect.provide(services))
  )

  it.effect("refuses a request that was signed for another service, such as that of a sandbox", () =>
    Effect.gen(function* () {
      const one = yield* partner
      for (const authority of ["sandbox.example.com", "api.example.com:8443", "localhost"]) {
        const replayed = yield* one.request(baseRequest, "/v1/chain-payouts", authority)
        assert.match(yield* refusal(one, { requests: [replayed] }), /which is another service/u)
      }
      yield* trying(one, { requests: [yield* one.request()] })
    }).pipe(Effect.provide(services))
  )

  it.effect("does not bring back what a revoked key had signed when the key is bound again", () =>
    Effect.gen(function* () {
      const one = yield* partner
      yield* TestClock.setTime(1_700_000_000_000)
      const before = yield* one.request()
      yield* (yield* Writer).submit(one.id, revokeSigningKey(one.keyid, null))
      yield* TestClock.adjust("2 minutes")
      yield* one.bindAgain
      assert.match(yield* refusal(one, { requests: [before] }), /no active signing key/u)
      yield* trying(one, { requests: [yield* one.request()] })
    }).pipe(Effect.provide(services))
  )

  it.effect(
    "lets the tenant's own accounts agree to hold known assets, within the cap, and nobody else to anything",
    () =>
      Effect.gen(function* () {
        const [one, other] = [yield* partner, yield* partner]
        const [usdc = ""] = defaultCurrencies.contracts("stellar")
        const ownKey: KeyRef = { ...one.key, _tag: "Issued", seedId: one.seedId, network: "stellar", index: 0 }
        const vault = yield* Vault
        const issuing = Buffer.from(yield* vault.publicKey(ownKey)).toString("hex")
        const keyed = { address: issuing, key: ownKey }
        const agreeing = (
          trustlines: ReadonlyArray<Trustline>,
          feeMax = 1n,
          payments: ReadonlyArray<Payment> = []
        ) => ({
          network: "stellar" as const,
          more: { unsigned: write({ payments, feeMax, signers: [], trustlines }), signers: [keyed] }
        })
        const good = { account: issuing, contract: usdc }
        yield* trying(one, agreeing([good]))
        assert.match(yield* refusal(one, agreeing([good], 100_000_001n)), /may cost/u)
        assert.match(yield* refusal(one, agreeing([good], 1n, [{ ...asked, to: "thief" }])), /^nobody asked/u)
        assert.match(yield* refusal(one, agreeing([good, { ...good, contract: "FAKE:G" }])), /FAKE:G is no asset/u)
        assert.match(
          yield* refusal(one, agreeing([{ ...good, account: other.address }])),
          /no key of the tenant's own/u
        )
        const claimed = agreeing([{ ...good, account: "somebody" }])
        const more = { ...claimed.more, own: [{ address: "somebody", key: ownKey }] }
        assert.match(yield* refusal(one, { ...claimed, more }), /no key of the tenant's own/u)
      }).pipe(Effect.provide(services))
  )

  it.effect("believes nothing of what it is told about keys, and caps what a transaction may cost", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* partner, yield* partner]
      const requests = [yield* one.request()]
      const thief: Payment = { to: "thief", contract: null, units: 1n, memo: null }
      const claims: ReadonlyArray<SignTransaction["own"][number]> = [
        { address: "thief", key: one.key },
        { address: other.address, key: other.key }
      ]
      for (const own of claims) {
        const payments = [{ ...thief, to: own.address }]
        assert.match(yield* refusal(one, { payments, more: { own: [own] } }), /^nobody asked/u)
      }
      const wrongKey = { signers: [{ address: one.address, key: { ...one.key, index: 1 } as KeyRef }] }
      assert.match(yield* refusal(one, { requests, more: wrongKey }), /there is no key of/u)
      assert.match(yield* refusal(one, { requests, feeMax: 10n ** 30n }), /may cost/u)
      assert.strictEqual(yield* refusal(one, { requests, network: "bsc" }), "the network is off")
      assert.strictEqual(yield* refusal(one, { requests, more: { unsigned: new Uint8Array(0) } }), "it is empty")
    }).pipe(Effect.provide(services))
  )
})
