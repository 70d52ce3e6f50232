import { operationsOf } from "@bursar/api/openapi/Operation"
import { PartnerApi } from "@bursar/api/PartnerApi"
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
    return { post, get: (path: string) => send("GET", path, { key }), firstKey: `k-1-${record.id}` }
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

/** What is posted to every endpoint, by its path, in an order in which all of it can be done. An endpoint that is missing here fails the test. */
const everyPost = (customerId: string): ReadonlyArray<readonly [template: string, body: unknown]> => {
  const reaching = Object.values(requests(customerId)).map(
    ([path, body]) => [path.replace(customerId, "{customer_id}"), body] as const
  )
  const isLate = (path: string) => path.endsWith("/retire")
  const rest = [
    ["/v1/quotes", { product: "CHAIN_PAYOUT", amount: money("0.1", "ETH") }],
    ["/v1/quotes", { product: "WITHDRAWAL", amount: money("10", "USDC_BASE") }],
    ["/v1/customers", { external_id: crypto.randomUUID() }],
    ["/v1/deposit-addresses", { addresses: [{ network: "ethereum", address: addressOf(2), reference: "r" }] }],
    ["/v1/deposit-addresses/{address_id}/watch-now", undefined],
    ["/v1/deposit-addresses/{address_id}/sweep-hold", { held: true, reason: "why" }],
    ["/v1/deposit-keys", { network: "ethereum", address: addressOf(3), wrapped_b64: "AAAA" }],
    ["/v1/address-proofs/challenge", { network: "ethereum", address: addressOf(2) }],
    [
      "/v1/address-proofs",
      { network: "ethereum", address: addressOf(2), issued_at: "2026-01-01T00:00:00Z", signature: "none" }
    ],
    ["/v1/signature/verify", {}],
    ["/v1/deposit-addresses/{address_id}/retire", undefined],
    ["/v1/deposit-xpubs/{xpub_id}/retire", undefined]
  ] as const
  return [...reaching, ...rest].toSorted(([one], [other]) => Number(isLate(one)) - Number(isLate(other)))
}

/** The queries of those that are not read without one, or that tell more with one. */
const queries: Readonly<Record<string, ReadonlyArray<string>>> = {
  "/v1/chain-payouts/estimate": [
    "",
    `?network=ethereum&currency=ETH&amount=1&address=${addressOf(7)}`,
    "?currency=USDC_BASE&amount=1"
  ],
  "/v1/withdrawals/estimate": ["", "?currency=USDC_BASE&amount=1"],
  "/v1/float/statement": ["?currency=USDC_BASE"]
}

/** Those that these requests leave nothing of, or that are refused for what they carry. */
const refusedAnyway: Readonly<Record<string, string>> = {
  "POST /v1/deposit-keys": "wrapped_key_unreadable",
  "POST /v1/address-proofs": "address_proof_invalid",
  "GET /v1/solvency": "not_found"
}

/** The parameters of paths that name what a request made. */
const named: Readonly<Record<string, string>> = {
  "/v1/deposit-addresses/issue": "address_id",
  "/v1/deposit-xpubs": "xpub_id",
  "/v1/chain-payouts": "payout_id",
  "/v1/withdrawals": "withdrawal_id",
  "/v1/swaps": "swap_id",
  "/v1/accounts": "account_id",
  "/v1/transfers": "transfer_id"
}

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

    test(`are asked nothing for a ${kind} tenant by any endpoint`, (outside) =>
      Effect.gen(function* () {
        const { customerId, partner, state, tenant } = yield* begin(environment)
        const declared = operationsOf(PartnerApi)
        const ids = new Map([["customer_id", customerId]])
        const filled = (template: string) =>
          template.replaceAll(
            /\{(\w+)\}/gu,
            (_, name: string) =>
              ids.get(name === "operation_id" ? "swap_id" : name) ?? assert.fail(`no ${name} is known`)
          )
        type Asking = Effect.Success<ReturnType<typeof partner>>
        const askAll = Effect.fnUntraced(function* (
          { firstKey, get, post }: Asking,
          see: (name: string, answer: Answer) => void
        ) {
          if (!ids.has("key")) ids.set("key", firstKey)
          for (const [template, body] of everyPost(customerId)) {
            const answer = yield* post(filled(template), body)
            see(`POST ${template}`, answer)
            const name = named[template]
            if (name !== undefined && answer.status < 300) ids.set(name, answer.body.id ?? answer.body.addresses[0].id)
          }
          for (const { method, path } of declared)
            if (method === "GET")
              for (const query of queries[path] ?? [""]) see(`GET ${path}`, yield* get(`${filled(path)}${query}`))
        })
        const asked = new Set<string>()
        yield* askAll(yield* partner(environment), (name, answer) => {
          asked.add(name)
          const code = answer.body?.error?.code
          if (answer.status >= 300) assert.strictEqual(code, refusedAnyway[name], `${name}: ${answer.text}`)
        })
        assert.deepStrictEqual(
          declared.map(({ name }) => name).filter((name) => !asked.has(name)),
          []
        )
        rewriteKind(state, tenant, kind)
        outside.cutOff = true
        yield* askAll(yield* partner(kind), (name, answer) => {
          const codes = [undefined, "product_not_enabled", refusedAnyway[name]]
          assert.include(codes, answer.body?.error?.code, `${name}: ${answer.text}`)
        })
        assert.deepStrictEqual(outside.called, [])
      }))

    test(`are told a ${kind} tenant as if there were none`, (outside) =>
      Effect.gen(function* () {
        const { partner, state, tenant } = yield* begin(environment)
        const told = Effect.fnUntraced(function* (of: Environment) {
          const { get } = yield* partner(of)
          const payout = yield* get("/v1/chain-payouts/estimate?network=ethereum&currency=ETH&amount=1")
          const withdrawal = yield* get("/v1/withdrawals/estimate?currency=USDC_BASE&amount=1")
          const { body } = yield* get("/v1/currencies")
          const listed = body.currencies.filter(({ code }: { code: string }) => ["ETH", "EUR"].includes(code))
          return {
            network_fee: payout.body.network_fee,
            payouts: [payout.body.payouts_enabled, payout.body.payouts_disabled_reason],
            withdrawal: [
              withdrawal.body.network_fee?.currency ?? null,
              withdrawal.body.amount_received?.currency ?? null
            ],
            custodian_read: body.custodian_read,
            listed: listed.map((one: Record<string, unknown>) => [
              one["code"],
              one["custodian_lists"],
              one["payable_out"]
            ])
          }
        })
        const own = yield* told(environment)
        assert.deepStrictEqual(own.payouts, [true, null])
        assert.isTrue(own.custodian_read)
        assert.sameDeepMembers(
          own.listed.map(([code, , payable]: Array<unknown>) => [code, payable]),
          [
            ["ETH", true],
            ["EUR", true]
          ]
        )
        rewriteKind(state, tenant, kind)
        outside.cutOff = true
        assert.deepStrictEqual(yield* told(kind), {
          network_fee: null,
          payouts: [false, `ethereum is for ${environment} tenants, and the tenant is ${kind}.`],
          withdrawal: [null, null],
          custodian_read: false,
          listed: own.listed.map(([code]: Array<unknown>) => [code, null, false])
        })
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
