import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { Xpub } from "@bursar/core/address/Xpub"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { ApiKey } from "@bursar/core/access/ApiKey"
import { apiKeyValues } from "@bursar/core/grant/keysByGrants"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { SignedRegistration } from "@bursar/core/signature/SignedRegistration"
import { defaultPolicy, type SignedProduct } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { deriveAddress, parseXpub } from "@bursar/evm/Keys"
import { Effect, Result } from "effect"
import { codeOf, layerGranted, setUp } from "./support/grants.ts"
import { Operator } from "./support/Operator.ts"
import { authority, idOfKey, registerPair, requestOf, withClockOff } from "./support/signing.ts"
import { stored } from "./support/stored.ts"

/** Accounts m/44'/60'/0' and m/44'/195'/0' of the mnemonic "abandon × 11 about"; nobody uses them. */
const own =
  "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt"
const thiefs =
  "xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd"
const network = "ethereum"
const thiefsAt = ({ derivationIndex }: DepositAddress): string =>
  deriveAddress(Result.getOrThrow(parseXpub(thiefs)), derivationIndex ?? 0).toLowerCase()
const unverified = [503, "provider_unavailable"]

/** A tenant whose granted policy demands signatures, with its key alone and with its signature. */
const begin = Effect.fnUntraced(function* (signaturesRequired: ReadonlyArray<SignedProduct>) {
  const { ann, approve, bob, propose, state, tenant } = yield* setUp
  const { ask, logged, seeder } = yield* Operator
  const grant = Effect.fnUntraced(function* (kind: string, values: unknown, people = [ann, bob]) {
    const proposal = yield* propose({ kind, values })
    for (const person of people) assert.strictEqual((yield* approve(proposal, person)).status, 200)
  })
  const partnerOf = Effect.fnUntraced(function* (id: typeof tenant) {
    const key = yield* seeder.key(id)
    const pair = yield* registerPair(seeder, id, key)
    let made = 0
    const signed = Effect.fnUntraced(function* (path: string, body: unknown) {
      const raw = body === undefined ? "" : JSON.stringify(body)
      const idempotencyKey = `${idOfKey(key)}${(made += 1)}`
      const headers = yield* pair.signer.sign(requestOf(raw, idempotencyKey, { path }))
      const typed = { "content-type": "application/json", "idempotency-key": idempotencyKey }
      return yield* ask("POST", path, {
        key,
        ...(raw !== "" && { raw }),
        headers: { host: authority, ...typed, ...headers }
      })
    })
    const bare = (path: string, body: unknown) =>
      ask("POST", path, { key, body, headers: { "idempotency-key": `b${(made += 1)}` } })
    return { key, ...pair, signed, bare, get: (path: string) => ask("GET", path, { key }) }
  })
  const partner = yield* partnerOf(tenant)
  const apiKeyId = idOfKey(partner.key)
  const policy = (required: ReadonlyArray<SignedProduct>) =>
    policyValues({ kind: "LIVE", policy: { ...defaultPolicy, ipAllowlist: null, signaturesRequired: required } })
  const apiKey = stored(state, tenant, ApiKey).get(apiKeyId)
  if (apiKey !== undefined) yield* grant("api_key", apiKeyValues({ key: apiKey, tenant: { kind: "LIVE" } }))
  const signingKey = {
    api_key_id: apiKeyId,
    keyid: partner.keyid,
    public_key: partner.publicJwk.x,
    state: "ACTIVE"
  }
  const grantSigningKey = grant("signing_key", signingKey)
  yield* grant("policy", policy(signaturesRequired))
  return {
    ...partner,
    grant,
    grantSigningKey,
    propose,
    approve,
    logged,
    partnerOf,
    policy,
    seeder,
    signingKey,
    state,
    tenant,
    ann
  }
})

const register = (xpub: string) => ({ network, xpub, index_from: 0, index_to: 99 })
const derive = { network, reference: "d", count: 2 }
const test = <A, E>(name: string, effect: Effect.Effect<A, E, Operator>) =>
  it.live(name, () => Effect.provide(effect, layerGranted))

const alarmsIn = (logged: ReadonlyArray<string>) => logged.filter((line) => line.includes("address.forged")).length

describe("a registered extended public key", () => {
  test(
    "that somebody swaps in the database is shown to nobody, nor what follows from it: an alarm, and others go on",
    Effect.gen(function* () {
      const { bare, get, grantSigningKey, logged, partnerOf, seeder, signed, state, tenant } = yield* begin(["xpubs"])
      yield* grantSigningKey
      const registered = yield* signed("/v1/deposit-xpubs", register(own))
      assert.strictEqual(registered.status, 200, registered.text)
      const { id } = registered.body
      assert.strictEqual(stored(state, tenant, SignedRegistration).get(id)?.id, id)
      assert.strictEqual((yield* bare("/v1/deposit-addresses/derive", derive)).status, 200)
      assert.strictEqual((yield* get("/v1/deposit-addresses")).body.addresses.length, 2)
      assert.strictEqual((yield* get("/v1/deposit-xpubs")).body.xpubs.length, 1)
      const other = yield* seeder.tenant()
      const neighbour = yield* partnerOf(other)

      const honest = stored(state, tenant, Xpub).get(id) ?? assert.fail("it is not stored")
      const addresses = [...stored(state, tenant, DepositAddress)]
      for (const change of [
        { xpub: thiefs, canonical: thiefs },
        { canonical: thiefs },
        { xpub: thiefs, canonical: thiefs, id: "019845e1-682f-7b02-a706-0000000000ff" }
      ]) {
        const before = alarmsIn(logged)
        stored(state, tenant, Xpub).delete(id)
        const forged = { ...honest, ...change }
        stored(state, tenant, Xpub).set(forged.id, forged)
        for (const [key, one] of addresses)
          stored(state, tenant, DepositAddress).set(key, { ...one, xpubId: forged.id, address: thiefsAt(one) })
        const derived = yield* bare("/v1/deposit-addresses/derive", derive)
        assert.deepStrictEqual(codeOf(derived), unverified)
        assert.deepStrictEqual(codeOf(yield* get("/v1/deposit-addresses")), unverified)
        assert.deepStrictEqual(codeOf(yield* get("/v1/deposit-xpubs")), unverified)
        assert.strictEqual(alarmsIn(logged), before + 3)
        assert.strictEqual((yield* neighbour.get("/v1/deposit-addresses")).status, 200)
        stored(state, tenant, Xpub).clear()
        stored(state, tenant, DepositAddress).clear()
        for (const [key, one] of addresses) stored(state, tenant, DepositAddress).set(key, one)
        stored(state, tenant, Xpub).set(id, honest)
      }
      assert.strictEqual((yield* get("/v1/deposit-addresses")).body.addresses.length, 2)
      // each forgery stands once in the log that is sealed, however often it was asked for
      const forgeries = state.audit.filter(({ route }) => route === "address.forged")
      const texts = forgeries.map(({ content }) => content?.values)
      assert.strictEqual(new Set(texts).size, texts.length)
      assert.isAbove(texts.length, 2)
      assert.deepInclude(forgeries[0], { operator: "(service)", method: "ALARM", params: { tenant_id: tenant } })
      assert.include(texts[0], thiefs)
    })
  )

  test(
    "is shown by no request that was changed, by one of a key that was revoked since",
    Effect.gen(function* () {
      const { ann, get, grant, grantSigningKey, signed, signingKey, state, tenant } = yield* begin(["xpubs"])
      yield* grantSigningKey
      const { id } = (yield* signed("/v1/deposit-xpubs", register(own))).body
      const kept = stored(state, tenant, SignedRegistration).get(id) ?? assert.fail("nothing is kept")
      const body = Buffer.from(JSON.stringify(register(thiefs))).toString("base64")
      for (const change of [{ keyid: "another" }, { body }, { signatureBase: `${kept.signatureBase} ` }]) {
        stored(state, tenant, SignedRegistration).set(id, { ...kept, ...change })
        assert.deepStrictEqual(codeOf(yield* get("/v1/deposit-xpubs")), unverified)
      }
      stored(state, tenant, SignedRegistration).set(id, kept)
      yield* grant("signing_key", { ...signingKey, state: "REVOKED" }, [ann])
      assert.strictEqual((yield* get("/v1/deposit-xpubs")).status, 200)
    })
  )

  test(
    "that was registered before signatures were demanded is shown again once it is registered with one",
    Effect.gen(function* () {
      const { ann, bare, get, grant, grantSigningKey, policy, signed } = yield* begin([])
      yield* grantSigningKey
      const { id } = (yield* bare("/v1/deposit-xpubs", register(own))).body
      assert.strictEqual((yield* bare("/v1/deposit-addresses/derive", derive)).status, 200)
      assert.strictEqual((yield* get("/v1/deposit-addresses")).status, 200)
      yield* grant("policy", policy(["xpubs"]), [ann])
      assert.deepStrictEqual(codeOf(yield* get("/v1/deposit-addresses")), unverified)
      assert.strictEqual((yield* signed(`/v1/deposit-xpubs/${id}/retire`, undefined)).status, 200)
      assert.strictEqual((yield* signed("/v1/deposit-xpubs", register(own))).status, 200)
      assert.strictEqual((yield* get("/v1/deposit-addresses")).body.addresses.length, 2)
    })
  )
})

describe("a registered address", () => {
  const one = `0x${"17".repeat(20)}`
  const thief = `0x${"66".repeat(20)}`
  const registration = (address: string) => ({ addresses: [{ network, address, reference: "r" }] })

  test(
    "that no kept request names is shown to nobody, whatever it was before",
    Effect.gen(function* () {
      const { get, grantSigningKey, logged, signed, state, tenant } = yield* begin(["addresses"])
      yield* grantSigningKey
      assert.strictEqual((yield* signed("/v1/deposit-addresses", registration(one))).status, 200)
      const [honest] = stored(state, tenant, DepositAddress).values()
      if (honest === undefined) return assert.fail("it is not stored")
      assert.strictEqual(stored(state, tenant, SignedRegistration).has(honest.registrations[0]?.id ?? ""), true)
      assert.strictEqual((yield* get("/v1/deposit-addresses")).status, 200)
      for (const change of [{ address: thief }, { address: thief, registrations: [] }, { registrations: [] }]) {
        const before = alarmsIn(logged)
        stored(state, tenant, DepositAddress).set(honest.id, { ...honest, ...change })
        assert.deepStrictEqual(codeOf(yield* get("/v1/deposit-addresses")), unverified)
        assert.strictEqual(alarmsIn(logged), before + 1)
      }
      stored(state, tenant, DepositAddress).set(honest.id, honest)
      assert.strictEqual((yield* get("/v1/deposit-addresses")).status, 200)
    })
  )

  test(
    "that was registered without a signature is shown again once a signed request names it",
    Effect.gen(function* () {
      const { ann, bare, get, grant, grantSigningKey, policy, signed } = yield* begin([])
      yield* grantSigningKey
      assert.strictEqual((yield* bare("/v1/deposit-addresses", registration(one))).status, 200)
      yield* grant("policy", policy(["addresses"]), [ann])
      assert.deepStrictEqual(codeOf(yield* get("/v1/deposit-addresses")), unverified)
      const again = yield* signed("/v1/deposit-addresses", registration(one))
      assert.strictEqual(again.body.results[0].status, "existing")
      assert.strictEqual((yield* get("/v1/deposit-addresses")).status, 200)
    })
  )

  /** A payment to an address, in a block of that number. */
  const paid = ({ address, id }: DepositAddress, on: string, number: number) =>
    recordIncomingTransfers(
      {
        network: on,
        requiredConfirmations: 12,
        incomingTransfers: [
          {
            network: on,
            txHash: `0x${String(number).padStart(64, "0")}`,
            transferIndex: 0,
            addressId: id,
            address,
            keys: [],
            currency: "ETH",
            units: 5n,
            fromAddress: null,
            block: { number, hash: `0x${number}`, time: number },
            confirmations: 1
          }
        ]
      },
      defaultCurrencies
    )

  /** An unsigned address that was paid, before the policy demands signatures. */
  const paidUnsigned = Effect.fnUntraced(function* (on: string) {
    const begun = yield* begin([])
    const { bare, grantSigningKey, seeder, state, tenant } = begun
    yield* grantSigningKey
    assert.strictEqual((yield* bare("/v1/deposit-addresses", registration(one))).status, 200)
    const [record] = stored(state, tenant, DepositAddress).values()
    if (record === undefined) return yield* Effect.die("it is not stored")
    yield* seeder.submit(tenant, paid(record, on, 7))
    return { ...begun, record }
  })

  /** All that names the address. */
  const naming = ["/v1/deposit-addresses", "/v1/deposit-addresses?include_retired=true", "/v1/events", "/v1/deposits"]

  test(
    "that was retired before signatures were demanded stops nothing once it is registered again with one",
    Effect.gen(function* () {
      const { ann, bare, get, grant, policy, record, signed } = yield* paidUnsigned(network)
      assert.strictEqual((yield* bare(`/v1/deposit-addresses/${record.id}/retire`, undefined)).status, 200)
      yield* grant("policy", policy(["addresses"]), [ann])
      assert.deepStrictEqual(codeOf(yield* get("/v1/events")), unverified)
      const again = yield* signed("/v1/deposit-addresses", registration(one))
      assert.strictEqual(again.body.results[0].status, "registered")
      for (const path of naming) assert.strictEqual((yield* get(path)).status, 200, path)
    })
  )

  test(
    "stops nothing, either, where an arrival was found on a sibling network before",
    Effect.gen(function* () {
      const { ann, get, grant, policy, signed, state, tenant } = yield* paidUnsigned("base")
      assert.strictEqual(stored(state, tenant, DepositAddress).size, 2)
      yield* grant("policy", policy(["addresses"]), [ann])
      assert.deepStrictEqual(codeOf(yield* get("/v1/deposits")), unverified)
      const again = yield* signed("/v1/deposit-addresses", registration(one))
      assert.strictEqual(again.body.results[0].status, "existing")
      for (const path of naming) assert.strictEqual((yield* get(path)).status, 200, path)
    })
  )

  test(
    "that names a request of a key that nobody has granted is shown again once a granted one has signed it",
    Effect.gen(function* () {
      const { get, grantSigningKey, signed, state, tenant } = yield* begin(["addresses"])
      yield* grantSigningKey
      yield* signed("/v1/deposit-addresses", registration(one))
      const kept = stored(state, tenant, SignedRegistration)
      for (const [id, request] of [...kept]) kept.set(id, { ...request, keyid: "of-before" })
      assert.deepStrictEqual(codeOf(yield* get("/v1/deposit-addresses")), unverified)
      yield* signed("/v1/deposit-addresses", registration(one))
      assert.strictEqual((yield* get("/v1/deposit-addresses")).status, 200)
    })
  )

  /** A tenant with two signing keys, each of which can register an address, and the proposal to revoke the second one. */
  const withTwoKeys = Effect.gen(function* () {
    const begun = yield* begin(["addresses"])
    const { grant, grantSigningKey, key, propose, seeder, signed, signingKey, tenant } = begun
    yield* grantSigningKey
    const second = yield* registerPair(seeder, tenant, key)
    const values = { ...signingKey, keyid: second.keyid, public_key: second.publicJwk.x }
    yield* grant("signing_key", values)
    const { ask } = yield* Operator
    const statusIn = ({ body, text }: Effect.Success<ReturnType<typeof signed>>) => {
      assert.isDefined(body.results?.[0].status, text)
      return body.results[0].status
    }
    const byGood = Effect.suspend(() => Effect.map(signed("/v1/deposit-addresses", registration(one)), statusIn))
    const byRevoked = Effect.gen(function* () {
      const [raw, path, idempotencyKey] = [JSON.stringify(registration(one)), "/v1/deposit-addresses", "second"]
      const headers = yield* second.signer.sign(requestOf(raw, idempotencyKey, { path }))
      const typed = { "content-type": "application/json", "idempotency-key": idempotencyKey }
      return statusIn(yield* ask("POST", path, { key, raw, headers: { host: authority, ...typed, ...headers } }))
    })
    const revocation = propose({ kind: "signing_key", values: { ...values, state: "REVOKED" } })
    // the service's clock is ahead of the moment that was proposed
    return { ...begun, byGood, byRevoked: withClockOff(20_000, byRevoked), revocation }
  })

  test(
    "keeps the request of a good key when a key that is being revoked registers it again",
    Effect.gen(function* () {
      const { ann, approve, byGood, byRevoked, get, revocation } = yield* withTwoKeys
      assert.strictEqual(yield* byGood, "registered")
      const proposal = yield* revocation
      assert.strictEqual(yield* byRevoked, "existing")
      assert.strictEqual((yield* approve(proposal, ann)).status, 200)
      assert.strictEqual((yield* get("/v1/deposit-addresses")).status, 200)
    })
  )

  test(
    "takes the request of a good key beside that of a key that is being revoked and was quicker",
    Effect.gen(function* () {
      const { ann, approve, byGood, byRevoked, get, revocation, state, tenant } = yield* withTwoKeys
      const proposal = yield* revocation
      assert.strictEqual(yield* byRevoked, "registered")
      assert.strictEqual(yield* byGood, "existing")
      assert.strictEqual((yield* approve(proposal, ann)).status, 200)
      assert.strictEqual((yield* get("/v1/deposit-addresses")).status, 200)
      // one request of a key is enough
      const names = () =>
        [...stored(state, tenant, DepositAddress).values()].flatMap(({ registrations }) => registrations)
      const before = names()
      assert.strictEqual(before.length, 2)
      yield* byGood
      assert.deepStrictEqual(names(), before)
    })
  )
})
