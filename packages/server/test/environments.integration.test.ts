import { scopes } from "@bursar/api/scopes/Scopes"
import { addApiKey } from "@bursar/core/access/tenantCommands"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import type { Environment } from "@bursar/core/base/Environment"
import { recordCheck, recordOpenedCheck } from "@bursar/core/customer/checkCommands"
import { createCustomer } from "@bursar/core/customer/createCustomer"
import { proposeDestination, verifyDestination } from "@bursar/core/destination/destinationCommands"
import { of } from "@bursar/core/money/Amount"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import type { State } from "@bursar/memory"
import { keyed } from "@bursar/testkit/fixtures/deposits"
import { applicantOf, approved } from "@bursar/testkit/fixtures/FakeIdentity"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { makeKey } from "../src/keys/makeKey.ts"
import { type Outside, reachable } from "./support/Outside.ts"
import { type Answer, Partner, settings } from "./support/Partner.ts"
import { authority, registerPair, requestOf } from "./support/signing.ts"
import { currenciesIn, portsIn } from "./support/wholeService.ts"
import { addressOf, booked } from "./support/written.ts"

const other = (environment: Environment): Environment => (environment === "LIVE" ? "SANDBOX" : "LIVE")

/** Changes the kind of a tenant behind the back of the service, as whoever writes to the database can. */
const rewriteKind = (state: State, id: TenantId, kind: Environment) => {
  const records = state.tenants.get(id) ?? assert.fail("there is no such tenant")
  const { head } = records
  records.head = { ...head, tenant: { ...head.tenant, kind } }
}

/** A tenant with all that it takes to do everything in the environment of the service. */
const begin = Effect.fnUntraced(function* (environment: Environment) {
  const { networks } = currenciesIn(environment)
  const { seeder, send, state } = yield* Partner
  const tenant = yield* seeder.tenant({ kind: environment, policy: { destinationCoolingHours: 0 } })
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
  yield* seeder.submit(tenant, addWallet(wallet, networks))
  const destination = {
    currency: "USDC_BASE",
    network: "base",
    address: addressOf(0xaa),
    memo: null,
    label: "Treasury"
  }
  const proposed = yield* seeder.submit(tenant, proposeDestination({ ...destination, by: "ann" }))
  yield* seeder.submit(tenant, verifyDestination(proposed.id, "bob"))
  const customer = yield* seeder.submit(
    tenant,
    createCustomer({ externalId: "user-1", isBusiness: false, displayName: null, country: null })
  )
  const applicantId = applicantOf(customer.id)
  yield* seeder.submit(tenant, recordOpenedCheck(customer.id, "fake-identity", { applicantId, status: "PENDING" }))
  yield* seeder.submit(tenant, recordCheck(customer.id, applicantId, approved(1)))

  /** Asks as the tenant, with a new key that was made for a tenant of a kind. */
  const partner = Effect.fnUntraced(function* (kind: Environment) {
    const { record, secret } = yield* makeKey({
      prefix: settings.keyPrefix,
      tenant: { id: tenant, kind },
      label: "test",
      scopes,
      pepper: settings.keyPepper
    })
    yield* seeder.submit(tenant, addApiKey(record))
    const key = Redacted.value(secret)
    const { signer } = yield* registerPair(seeder, tenant, key)
    let made = 0
    const post = Effect.fnUntraced(function* (path: string, body: unknown) {
      const raw = JSON.stringify(body)
      const idempotencyKey = `k-${(made += 1)}-${record.id}`
      const signed = yield* signer.sign(requestOf(raw, idempotencyKey, { path }))
      const headers = { host: authority, "idempotency-key": idempotencyKey, ...signed }
      return yield* send("POST", path, { key, raw, headers })
    })
    return { post, get: (path: string) => send("GET", path, { key }) }
  })
  return { tenant, customerId: customer.id, partner, seeder, state }
})

/** Account m/44'/60'/0' of the mnemonic "abandon × 11 about"; nobody uses it. */
const xpub =
  "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt"

const money = (amount: string, currency: string) => ({ amount, currency })

const transfer = (kind: string, more: object = {}) => ({
  kind,
  amount: money("10", "EUR"),
  beneficiary_name: "Ana Silva",
  beneficiary_account: "PT50 0002 0123 1234 5678 9015 4",
  ...more
})

const person = {
  first_name: "Ana",
  last_name: "Silva",
  date_of_birth: "1987-03-29",
  document_kind: "PASSPORT",
  document_number: "X9920417Z",
  document_country: "PT"
}

/** Everything by which a partner reaches a network or a provider. */
const requests = (customerId: string): Readonly<Record<string, readonly [path: string, body: unknown]>> => ({
  "a chain payout": [
    "/v1/chain-payouts",
    {
      amount: money("0.1", "ETH"),
      network: "ethereum",
      destination: { address: addressOf(0xbb) },
      reference: "invoice"
    }
  ],
  "a withdrawal": ["/v1/withdrawals", { amount: money("10", "USDC_BASE") }],
  "a swap": ["/v1/swaps", { amount: money("10", "USDC_BASE"), to_currency: "ETH" }],
  "a quote of a swap": ["/v1/quotes", { product: "SWAP", amount: money("10", "USDC_BASE"), to_currency: "ETH" }],
  "a quote of an OFF_RAMP": ["/v1/quotes", { product: "OFF_RAMP", amount: money("10", "EUR"), to_currency: "EUR" }],
  "a BANK_TRANSFER": ["/v1/transfers", transfer("BANK_TRANSFER")],
  "an OFF_RAMP": ["/v1/transfers", transfer("OFF_RAMP")],
  "an ON_RAMP": ["/v1/transfers", transfer("ON_RAMP")],
  "an account": ["/v1/accounts", { customer_id: customerId, currency: "EUR" }],
  "a check of identity": [`/v1/customers/${customerId}/verification`, {}],
  "a registration with the provider": [`/v1/customers/${customerId}/provider-registration`, person],
  "an issued address": ["/v1/deposit-addresses/issue", { network: "ethereum", reference: "r", count: 1 }],
  "an xpub": ["/v1/deposit-xpubs", { network: "ethereum", xpub, index_from: 0, index_to: 99 }],
  "a derived address": ["/v1/deposit-addresses/derive", { network: "ethereum", reference: "r", count: 1 }],
  "a proof of a payment": [
    "/v1/payments/proof",
    {
      rail: { network: "ethereum", currency: "ETH" },
      tx_hash: `0x${"ab".repeat(32)}`,
      destination: addressOf(0xbb),
      amount: money("1", "ETH"),
      senders: []
    }
  ]
})

const codeOf = ({ body, status }: Answer) => [status, body?.error?.code]

const registration = (number: number) =>
  [
    "/v1/deposit-addresses",
    { addresses: [{ network: "ethereum", address: addressOf(number), reference: "r" }] }
  ] as const

for (const environment of ["LIVE", "SANDBOX"] as const) {
  const kind = other(environment)
  describe(`networks and providers that are ${environment}`, () => {
    const test = <A, E>(name: string, body: (outside: Outside) => Effect.Effect<A, E, Partner>) =>
      it.live(name, () => {
        const outside = reachable()
        const layer = Partner.layer({ currencies: currenciesIn(environment) }, portsIn(environment, outside))
        return Effect.provide(body(outside), layer)
      })

    test("serve the tenants of their environment", () =>
      Effect.gen(function* () {
        const { customerId, partner } = yield* begin(environment)
        const { get, post } = yield* partner(environment)
        for (const [what, [path, body]] of Object.entries(requests(customerId))) {
          const { body: answer, status } = yield* post(path, body)
          assert.isBelow(status, 300, `${what}: ${JSON.stringify(answer)}`)
        }
        assert.strictEqual((yield* post(...registration(1))).body.results[0].status, "registered")
        assert.strictEqual((yield* get("/v1/pairs")).body.pairs.length, 1)
      }))

    test(`cannot be reached by a ${kind} tenant, whatever its records say`, (outside) =>
      Effect.gen(function* () {
        const { customerId, partner, state, tenant } = yield* begin(environment)
        rewriteKind(state, tenant, kind)
        const { get, post } = yield* partner(kind)
        outside.cutOff = true
        const before = booked(state, tenant)
        for (const [what, [path, body]] of Object.entries(requests(customerId)))
          assert.deepStrictEqual(codeOf(yield* post(path, body)), [403, "product_not_enabled"], what)
        const { body: registered } = yield* post(...registration(1))
        assert.strictEqual(registered.results[0].error.code, "product_not_enabled")
        assert.deepStrictEqual((yield* get("/v1/pairs")).body.pairs, [])
        assert.deepStrictEqual(booked(state, tenant), before)
        assert.deepStrictEqual(outside.called, [])
      }))

    test(`stay out of reach of a ${kind} tenant whose kind somebody changes in the database`, () =>
      Effect.gen(function* () {
        const { seeder, send, state } = yield* Partner
        const tenant = yield* seeder.tenant({ kind })
        const key = yield* seeder.key(tenant)
        assert.strictEqual((yield* send("GET", "/v1/whoami", { key })).status, 200)
        rewriteKind(state, tenant, environment)
        assert.deepStrictEqual(codeOf(yield* send("GET", "/v1/whoami", { key })), [401, "key_invalid"])
      }))
  })
}
