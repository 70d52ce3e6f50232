import { constants, publicEncrypt } from "node:crypto"
import { NeedsIdempotencyKey } from "@bursar/api/annotations/NeedsIdempotencyKey"
import { NeedsSignature } from "@bursar/api/annotations/NeedsSignature"
import { type EndpointRoute, routeOf } from "@bursar/api/annotations/routeOf"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { recordCheck, recordOpenedCheck } from "@bursar/core/customer/checkCommands"
import { createCustomer } from "@bursar/core/customer/createCustomer"
import { proposeDestination, verifyDestination } from "@bursar/core/destination/destinationCommands"
import { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"
import { of } from "@bursar/core/money/Amount"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { Custodian } from "@bursar/core/port/Custodian"
import { FiatProvider } from "@bursar/core/port/FiatProvider"
import { IdentityProvider } from "@bursar/core/port/IdentityProvider"
import { Prices } from "@bursar/core/port/Prices"
import { Vault } from "@bursar/core/port/Vault"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import type { State } from "@bursar/memory"
import { keyed } from "@bursar/testkit/fixtures/deposits"
import { makeFakeChain } from "@bursar/testkit/fixtures/FakeChain"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { makeFakeFiat } from "@bursar/testkit/fixtures/FakeFiat"
import { applicantOf, approved, makeFakeIdentity } from "@bursar/testkit/fixtures/FakeIdentity"
import { layerFakeNetworks } from "@bursar/testkit/fixtures/FakeNetwork"
import { makeFakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer } from "effect"
import { HttpApi } from "effect/http-api"
import { fingerprintOf } from "../src/idempotency/canonicalJson.ts"
import { Operator } from "./support/Operator.ts"
import { cuttable, guarded, type Outside, reachable } from "./support/Outside.ts"
import { type Answer, portsOver } from "./support/Partner.ts"
import { authority, registerPair, requestOf } from "./support/signing.ts"
import { stored } from "./support/stored.ts"
import { testNetwork } from "./support/TestPorts.ts"
import { addressOf } from "./support/written.ts"

/** An endpoint of either interface that takes an idempotency key. */
interface KeyedRoute extends EndpointRoute {
  readonly signed: boolean
  readonly operator: boolean
}

const keyedRoutes: Array<KeyedRoute> = []
HttpApi.reflect(PartnerApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, mergedAnnotations }) => {
    if (!Context.get(mergedAnnotations, NeedsIdempotencyKey)) return
    const signed = Context.get(mergedAnnotations, NeedsSignature)
    keyedRoutes.push({ ...routeOf(endpoint), signed, operator: false })
  }
})
HttpApi.reflect(OperatorApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => {
    const headers = endpoint.headers?.ast
    // an operator's key may be left out, so no annotation says that it is needed
    if (headers?._tag !== "Objects" || !headers.propertySignatures.some(({ name }) => name === "idempotency-key"))
      return
    keyedRoutes.push({ ...routeOf(endpoint), signed: false, operator: true })
  }
})

const one = { units: 1n, decimals: 0 }

/** A dollar for everything. */
const prices = Layer.succeed(
  Prices,
  Prices.of({
    usd: () => Effect.map(Clock.currentTimeMillis, (observedAt) => ({ price: one, source: "test", observedAt })),
    rate: () => Effect.map(Clock.currentTimeMillis, (observedAt) => ({ price: one, source: "test", observedAt }))
  })
)

/** Every port over a state, and everything outside, which can be cut off. */
const portsOf = (outside: Outside) => (state: State) => {
  const inside = portsOver(state)
  const fiat = makeFakeFiat(() => ({ order: "told", unreadable: 0, course: [] }))
  const ethereum = testNetwork("ethereum", {
    sender: guarded("sender", makeFakeSender({ network: "ethereum" }).sender, outside),
    reader: guarded("reader", makeFakeChain({ network: "ethereum" }).reader, outside)
  })
  const custodian = makeFakeCustodian(
    () => ({ order: "settled", unreadable: 0, pending: 0, end: "settled" }),
    [{ from: "USDC_BASE", to: "ETH", minimum: null, step: null }]
  )
  const real = Layer.mergeAll(
    inside,
    prices,
    custodian.layer,
    Layer.succeed(FiatProvider, fiat.provider),
    Layer.succeed(IdentityProvider, makeFakeIdentity().provider),
    layerFakeNetworks([ethereum, testNetwork("bsc"), testNetwork("base")])
  )
  const cut = Layer.mergeAll(
    cuttable(Prices, outside),
    cuttable(Custodian, outside),
    cuttable(FiatProvider, outside),
    cuttable(IdentityProvider, outside),
    cuttable(Vault, outside)
  )
  return cut.pipe(Layer.provideMerge(real))
}

/** The private key 0x0101…01 and its address, in the form of these tests. */
const secret = Buffer.alloc(32, 1)
const addressOfSecret = "0x1a642f0e3c3af545e7acbd38b07251b3990914f1"

/** Account m/44'/60'/0' of the mnemonic "abandon × 11 about"; nobody uses it. */
const xpub =
  "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt"

/** A tenant that can do all that takes a key, its partner and its operator. */
const begin = Effect.gen(function* () {
  const { ask, operate, seeder } = yield* Operator
  const tenant = yield* seeder.tenant({ policy: { destinationCoolingHours: 0, withdrawalLimitUsd: "10000" } })
  const key = yield* seeder.key(tenant)
  const { signer } = yield* registerPair(seeder, tenant, key)
  for (const [units, currency, against] of [
    [1_000_000_000n, "USDC_BASE", "custodian"],
    [100_000n, "EUR", "bank"],
    [10n ** 18n, "ETH", "chain:ethereum:payouts"]
  ] as const)
    yield* seeder.submit(tenant, adjustFloat({ amount: of(units, currency), against, reason: "t" }))
  const wallet = {
    network: "ethereum",
    role: "PAYOUT",
    seedId: "019845e1-682f-7b02-a706-00000000abcd",
    index: 0,
    ...keyed(addressOf(0x9999))
  } as const
  yield* seeder.submit(tenant, addWallet(wallet, presetNetworks))
  const proposed = yield* seeder.submit(
    tenant,
    proposeDestination({
      currency: "USDC_BASE",
      network: "base",
      address: addressOf(0xaa),
      memo: null,
      label: "Treasury",
      by: "ann"
    })
  )
  yield* seeder.submit(tenant, verifyDestination(proposed.id, "bob"))
  const customer = yield* seeder.submit(
    tenant,
    createCustomer({ externalId: "user-1", isBusiness: false, displayName: null, country: null })
  )
  const applicantId = applicantOf(customer.id)
  yield* seeder.submit(tenant, recordOpenedCheck(customer.id, "fake-identity", { applicantId, status: "PENDING" }))
  yield* seeder.submit(tenant, recordCheck(customer.id, applicantId, approved(1)))

  /** Asks for it as whoever may, under an idempotency key. */
  const post = Effect.fnUntraced(function* (route: KeyedRoute, body: unknown, idempotencyKey: string) {
    const raw = JSON.stringify(body)
    const path = route.path.replace("{tenant_id}", tenant)
    const headers = { "idempotency-key": idempotencyKey }
    if (route.operator) return yield* operate("POST", path, { raw, headers })
    if (!route.signed) return yield* ask("POST", path, { key, raw, headers })
    const signed = yield* signer.sign(requestOf(raw, idempotencyKey, { path }))
    return yield* ask("POST", path, { key, raw, headers: { host: authority, ...headers, ...signed } })
  })
  const get = (path: string) => ask("GET", path, { key })
  return { customerId: customer.id, get, post, seeder, tenant }
})

type Seeded = Effect.Success<typeof begin>

/** Two requests of an endpoint that differ, the first of which succeeds, and whether it asks somebody outside. */
interface Sample {
  readonly first: unknown
  readonly other: unknown
  readonly asks: boolean
}

const wrappedKey = ({ get }: Seeded) =>
  Effect.map(get("/v1/deposit-keys/wrapping-key"), ({ body }) => {
    const oaep = { key: body.public_key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" }
    return publicEncrypt(oaep, secret).toString("base64")
  })

const routeNamed = (name: string): KeyedRoute =>
  keyedRoutes.find((route) => route.name === name) ?? assert.fail(`there is no ${name}`)

const base = (amount: string) => ({ amount, currency: "USDC_BASE" })
const addresses = (n: number) => ({ addresses: [{ network: "ethereum", address: addressOf(n), reference: "r" }] })
const xpubs = (index_to: number) => ({ network: "ethereum", xpub, index_from: 0, index_to })
const counted = (count: number) => ({ network: "ethereum", reference: "r", count })
const payout = (amount: string) => ({
  amount: { amount, currency: "ETH" },
  network: "ethereum",
  destination: { address: addressOf(0xbb) },
  reference: "invoice"
})
const transfer = (amount: string) => ({
  kind: "BANK_TRANSFER",
  amount: { amount, currency: "EUR" },
  beneficiary_name: "Ana Silva",
  beneficiary_account: "PT50 0002 0123 1234 5678 9015 4"
})
const adjustment = (amount: string) => ({ currency: "USDC_BASE", amount, against: "custodian", reason: "a reason" })

/** What is asked of each endpoint, by its name. An endpoint of the contract that is missing here fails the test. */
const samples: Readonly<Record<string, (seeded: Seeded) => Effect.Effect<Sample>>> = {
  "POST /v1/deposit-addresses": () => Effect.succeed({ first: addresses(1), other: addresses(2), asks: false }),
  "POST /v1/deposit-addresses/derive": ({ post }) =>
    Effect.as(post(routeNamed("POST /v1/deposit-xpubs"), xpubs(99), "xpub"), {
      first: counted(1),
      other: counted(2),
      asks: false
    }),
  // the vault is asked for the first address alone
  "POST /v1/deposit-addresses/issue": () => Effect.succeed({ first: counted(1), other: counted(2), asks: false }),
  "POST /v1/deposit-keys": (seeded) =>
    Effect.map(wrappedKey(seeded), (wrapped_b64) => {
      const first = { network: "ethereum", address: addressOfSecret, wrapped_b64 }
      return { first, other: { ...first, source_system: "another" }, asks: true }
    }),
  "POST /v1/deposit-xpubs": () => Effect.succeed({ first: xpubs(99), other: xpubs(100), asks: false }),
  "POST /v1/chain-payouts": () => Effect.succeed({ first: payout("0.1"), other: payout("0.2"), asks: true }),
  "POST /v1/withdrawals": () =>
    Effect.succeed({ first: { amount: base("10") }, other: { amount: base("11") }, asks: true }),
  "POST /v1/swaps": () =>
    Effect.succeed({
      first: { amount: base("10"), to_currency: "ETH" },
      other: { amount: base("11"), to_currency: "ETH" },
      asks: true
    }),
  "POST /v1/customers": () =>
    Effect.succeed({ first: { external_id: "user-2" }, other: { external_id: "user-3" }, asks: false }),
  "POST /v1/accounts": ({ customerId }) =>
    Effect.succeed({
      first: { customer_id: customerId, currency: "EUR" },
      other: { customer_id: customerId, currency: "GBP" },
      asks: false
    }),
  "POST /v1/transfers": () => Effect.succeed({ first: transfer("10"), other: transfer("11"), asks: true }),
  "POST /operator/v1/tenants/{tenant_id}/float-adjustments": () =>
    Effect.succeed({ first: adjustment("10"), other: adjustment("11"), asks: true })
}

const seen = ({ headers, status, text }: Answer) => [status, text, headers["idempotency-replayed"]]

describe("what was answered under an idempotency key is answered again though nobody outside can be reached", () => {
  it("for every endpoint that takes a key", () => {
    assert.deepStrictEqual(keyedRoutes.map(({ name }) => name).toSorted(), Object.keys(samples).toSorted())
  })

  for (const route of keyedRoutes) {
    it.live(route.name, () => {
      const outside = reachable()
      return Effect.gen(function* () {
        const seeded = yield* begin
        const sample = samples[route.name] ?? assert.fail(`nothing is known of ${route.name}`)
        const { asks, first, other } = yield* sample(seeded)
        const answered = yield* seeded.post(route, first, "k")
        assert.deepStrictEqual(seen(answered), [route.status, answered.text, undefined])
        // under the name and the fingerprint that such records have had since the first of them
        const { state } = yield* Operator
        const key = route.operator ? "operator|k" : "k"
        const place = route.operator ? `${route.name} ${seeded.tenant}` : route.path
        const kept = stored(state, seeded.tenant, IdempotencyRecord).get(key)
        assert.deepInclude(kept, { endpoint: route.name, fingerprint: fingerprintOf("POST", place, first) })
        // the books move on: what was answered stays what it was
        yield* seeded.seeder.submit(
          seeded.tenant,
          adjustFloat({ amount: of(1n, "USDC_BASE"), against: "custodian", reason: "t" })
        )
        outside.cutOff = true
        assert.deepStrictEqual(seen(yield* seeded.post(route, first, "k")), [route.status, answered.text, "true"])
        const reused = yield* seeded.post(route, other, "k")
        assert.deepStrictEqual([reused.status, reused.body.error.code], [422, "idempotency_key_reused"])
        assert.deepStrictEqual(outside.called, [])
        // what is asked for the first time does ask, and so the cut is one
        yield* seeded.post(route, other, "k2")
        assert.strictEqual(outside.called.length > 0, asks, outside.called.join(", "))
      }).pipe(Effect.provide(Operator.layerWith({}, portsOf(outside))))
    })
  }

  it.live("for an adjustment of the days when its record did not keep what was available", () =>
    Effect.gen(function* () {
      const { post, tenant } = yield* begin
      const { state } = yield* Operator
      const adjust = routeNamed("POST /operator/v1/tenants/{tenant_id}/float-adjustments")
      const { body: first } = yield* post(adjust, adjustment("10"), "k")
      const records = stored(state, tenant, IdempotencyRecord)
      const record = records.get("operator|k") ?? assert.fail("there is no record")
      const { available: _available, ...body } = first
      records.set(record.key, { ...record, outcome: { _tag: "Done", body } })
      const again = yield* post(adjust, adjustment("10"), "k")
      assert.deepStrictEqual([again.status, again.body], [201, first])
    }).pipe(Effect.provide(Operator.layerWith({}, portsOf(reachable()))))
  )
})
