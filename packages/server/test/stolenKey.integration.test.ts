import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Operation } from "@bursar/core/operation/Operation"
import { evidenceOf } from "@bursar/core/signature/SignatureEvidence"
import { defaultPolicy, policyOfNew, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import { incomingTransferAt } from "@bursar/testkit/fixtures/deposits"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { reachable } from "./support/Outside.ts"
import { type Answer, Partner } from "./support/Partner.ts"
import { authority, registerPair, requestOf } from "./support/signing.ts"
import { stored } from "./support/stored.ts"
import { currenciesIn, portsIn } from "./support/wholeService.ts"
import { addressOf, booked } from "./support/written.ts"

/** Accounts m/44'/60'/0' and m/44'/195'/0' of the mnemonic "abandon × 11 about"; nobody uses them. */
const own =
  "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt"
const stranger =
  "xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd"

const money = (amount: string, currency: string) => ({ amount, currency })

const wire = (amount: string) => ({
  kind: "BANK_TRANSFER",
  amount: money(amount, "EUR"),
  beneficiary_name: "Mallory",
  beneficiary_account: "PT50 0002 0123 1234 5678 9015 4"
})

const xpubs = (xpub: string) => ({ network: "ethereum", xpub, index_from: 0, index_to: 99 })

const codeOf = ({ body, status }: Answer) => [status, body?.error?.code]

/** A tenant of a policy with 100,000 EUR and 10,000 USDC, its key alone, and its key with its signature. */
const begin = Effect.fnUntraced(function* (policy: TenantPolicy) {
  const { logged, seeder, send, state } = yield* Partner
  const tenant = yield* seeder.tenant({ policy: { ...policy, ipAllowlist: null } })
  const key = yield* seeder.key(tenant)
  const { keyid, signer } = yield* registerPair(seeder, tenant, key)
  yield* seeder.submit(tenant, adjustFloat({ amount: of(10_000_000n, "EUR"), against: "bank", reason: "t" }))
  let made = 0
  const bearer = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    send("POST", path, { key, body, headers: { "idempotency-key": `b${(made += 1)}`, ...headers } })
  const signed = Effect.fnUntraced(function* (
    path: string,
    body?: unknown,
    more: Readonly<Record<string, string>> = {}
  ) {
    const raw = body === undefined ? "" : JSON.stringify(body)
    const idempotencyKey = `s${(made += 1)}`
    const headers = yield* signer.sign(requestOf(raw, idempotencyKey, { path }))
    const typed = { "content-type": "application/json" }
    const sent = { host: authority, "idempotency-key": idempotencyKey, ...typed, ...headers, ...more }
    const answer = yield* send("POST", path, { key, ...(body === undefined ? {} : { raw }), headers: sent })
    return { answer, sent, raw }
  })
  const get = (path: string) => send("GET", path, { key })
  return { tenant, key, keyid, bearer, signed, get, logged, seeder, send, state }
})

const test = <A, E>(name: string, body: Effect.Effect<A, E, Partner>) =>
  it.live(name, () =>
    Effect.provide(body, Partner.layer({ currencies: currenciesIn("LIVE") }, portsIn("LIVE", reachable())))
  )

describe("a stolen API key alone", () => {
  test(
    "wires nothing from a new LIVE tenant, whose signature is demanded",
    Effect.gen(function* () {
      const { bearer, state, tenant } = yield* begin(policyOfNew("LIVE"))
      const before = booked(state, tenant)
      assert.deepStrictEqual(codeOf(yield* bearer("/v1/transfers", wire("40000"))), [401, "signature_missing"])
      assert.deepStrictEqual(codeOf(yield* bearer("/v1/transfers", wire("1"))), [401, "signature_missing"])
      assert.deepStrictEqual(booked(state, tenant), before)
    })
  )

  test(
    "wires no 40,000 EUR to a new IBAN where no signature is demanded: limits and reviews count for banks as for chains",
    Effect.gen(function* () {
      const { bearer, state, tenant } = yield* begin(defaultPolicy)
      const before = booked(state, tenant)
      assert.deepStrictEqual(codeOf(yield* bearer("/v1/transfers", wire("40000"))), [422, "payout_limit_exceeded"])
      assert.deepStrictEqual(codeOf(yield* bearer("/v1/transfers", wire("20000"))), [422, "new_address_limit_exceeded"])
      assert.deepStrictEqual(booked(state, tenant), before)
      // from the threshold on nothing leaves until an operator approves it, and no part of 40,000 goes beside it
      const first = yield* bearer("/v1/transfers", wire("10000"))
      assert.deepStrictEqual([first.status, first.body.status], [201, "IN_REVIEW"])
      assert.deepStrictEqual(codeOf(yield* bearer("/v1/transfers", wire("1"))), [422, "new_address_limit_exceeded"])
    })
  )

  test(
    "neither retires the live xpub nor puts in its own",
    Effect.gen(function* () {
      const { bearer, get, send, seeder, signed, state, tenant } = yield* begin(policyOfNew("LIVE"))
      const { answer: registered } = yield* signed("/v1/deposit-xpubs", xpubs(own))
      assert.strictEqual(registered.status, 200)
      const deposits = yield* seeder.key(tenant, ["deposits:read", "deposits:write"])
      const before = booked(state, tenant)
      const retire = `/v1/deposit-xpubs/${registered.body.id}/retire`
      assert.deepStrictEqual(codeOf(yield* send("POST", retire, { key: deposits })), [401, "signature_missing"])
      assert.deepStrictEqual(codeOf(yield* bearer(retire, undefined)), [401, "signature_missing"])
      assert.deepStrictEqual(codeOf(yield* bearer("/v1/deposit-xpubs", xpubs(stranger))), [401, "signature_missing"])
      assert.deepStrictEqual(booked(state, tenant), before)
      // its owner can, and everybody is told of it
      const { answer: retired } = yield* signed(retire)
      assert.strictEqual(retired.status, 200)
      assert.isString(retired.body.retired_at)
      const { body } = yield* get("/v1/events")
      const facts = body.events.map((event: Answer["body"]) => [event.kind, event.resource_id, event.data.xpub])
      const { id } = registered.body
      assert.deepStrictEqual(facts, [
        ["xpub.registered", id, own],
        ["xpub.retired", id, own]
      ])
    })
  )

  test(
    "registers nothing, converts nothing and withdraws nothing where that is demanded",
    Effect.gen(function* () {
      const { bearer, state, tenant } = yield* begin({
        ...defaultPolicy,
        signaturesRequired: ["addresses", "swaps", "withdrawals"]
      })
      const before = booked(state, tenant)
      const addresses = [{ network: "ethereum", address: addressOf(7), reference: "r" }]
      const withdrawal = { amount: money("1", "USDC_BASE") }
      for (const [path, body] of [
        ["/v1/deposit-addresses", { addresses }],
        ["/v1/swaps", { ...withdrawal, to_currency: "ETH" }],
        ["/v1/withdrawals", withdrawal]
      ] as const)
        assert.deepStrictEqual(codeOf(yield* bearer(path, body)), [401, "signature_missing"], path)
      assert.deepStrictEqual(booked(state, tenant), before)
    })
  )

  test(
    "does nothing with a signature of another request, or one that was used",
    Effect.gen(function* () {
      const { key, keyid, send, signed, state, tenant } = yield* begin(policyOfNew("LIVE"))
      const { answer, raw, sent } = yield* signed("/v1/transfers", wire("10"))
      assert.strictEqual(answer.status, 201)
      const operation = stored(state, tenant, Operation).get(answer.body.id) ?? assert.fail("it was not stored")
      const evidence = evidenceOf(operation)
      if (evidence === undefined) return assert.fail("the signed request was not kept")
      assert.strictEqual(evidence.keyid, keyid)
      assert.strictEqual(Buffer.from(evidence.body, "base64").toString(), raw)
      const before = booked(state, tenant)
      const other = yield* send("POST", "/v1/transfers", { key, raw: JSON.stringify(wire("11")), headers: sent })
      assert.deepStrictEqual(codeOf(other), [401, "digest_mismatch"])
      const again = yield* send("POST", "/v1/transfers", {
        key,
        raw,
        headers: { ...sent, "idempotency-key": "another" }
      })
      assert.deepStrictEqual(codeOf(again), [401, "signature_invalid"])
      // the very same request is a retry, and pays nothing more
      assert.deepStrictEqual((yield* send("POST", "/v1/transfers", { key, raw, headers: sent })).text, answer.text)
      assert.deepStrictEqual(booked(state, tenant), before)
    })
  )

  test(
    "is told of once a minute for each thing that it does not open, with nothing of what was sent",
    Effect.gen(function* () {
      const { bearer, get, logged, send, seeder, signed, tenant } = yield* begin(policyOfNew("LIVE"))
      const told = () =>
        logged
          .map((line): { readonly message: string; readonly annotations: Readonly<Record<string, string>> } =>
            JSON.parse(line)
          )
          .flatMap(({ annotations, message }) => (message === "api_key.refused" ? [annotations] : []))
      yield* get("/v1/deposits")
      const { raw, sent } = yield* signed("/v1/transfers", wire("10"))
      assert.deepStrictEqual(told(), [])
      for (const amount of ["40000", "1"]) yield* bearer("/v1/transfers", wire(amount))
      const key = yield* seeder.key(tenant, ["deposits:read"])
      yield* send("POST", "/v1/transfers", { key, body: wire("1") })
      const { key: own, tenant: other } = yield* begin(policyOfNew("LIVE"))
      yield* send("POST", "/v1/transfers", { key: own, raw, headers: sent })
      assert.deepStrictEqual(
        told().map(({ code, route, tenant: of }) => [of, route, code]),
        [
          [tenant, "POST /v1/transfers", "signature_missing"],
          [tenant, "POST /v1/transfers", "scope_missing"],
          [other, "POST /v1/transfers", "signature_key_unknown"]
        ]
      )
      assert.notInclude(JSON.stringify(told()), "Mallory")
      assert.notInclude(JSON.stringify(told()), key)
    })
  )

  test(
    "is enough where nobody demands a signature, and a header that is none does not matter",
    Effect.gen(function* () {
      const { bearer } = yield* begin(defaultPolicy)
      assert.strictEqual((yield* bearer("/v1/transfers", wire("10"))).status, 201)
      assert.strictEqual((yield* bearer("/v1/transfers", wire("10"), { signature: "sig1=:AAAA:" })).status, 201)
    })
  )
})

describe("a stranger's address, registered without proof", () => {
  test(
    "brings a new LIVE tenant nothing that could be swapped or wired out",
    Effect.gen(function* () {
      const { bearer, get, seeder, signed, state, tenant } = yield* begin({
        ...policyOfNew("LIVE"),
        payoutNewAddressLimitUsd: null
      })
      const addresses = [{ network: "base", address: addressOf(0x57), reference: "r" }]
      const { body: registered } = yield* bearer("/v1/deposit-addresses", { addresses })
      assert.strictEqual(registered.results[0].status, "registered")
      const [address] = stored(state, tenant, DepositAddress).values()
      if (address === undefined) return assert.fail("there is no address")
      const block = { number: 7, hash: "0xblock", time: Date.now() + 60_000 }
      const transfer = incomingTransferAt(address, 5_000_000_000n, { network: "base", currency: "USDC_BASE", block })
      const found = { network: "base", requiredConfirmations: 1, incomingTransfers: [transfer] }
      const [deposit] = yield* seeder.submit(tenant, recordIncomingTransfers(found, defaultCurrencies))
      if (deposit === undefined) return assert.fail("nothing arrived")
      const deep = [{ deposit, blockHash: block.hash, confirmations: 9 }]
      yield* seeder.submit(tenant, confirmDeposits(deep, defaultCurrencies, nothingUndecided))
      const { body: told } = yield* get("/v1/deposits")
      assert.strictEqual(told.deposits[0].status, "CONFIRMED")
      const swapped = yield* bearer("/v1/swaps", { amount: money("5000", "USDC_BASE"), to_currency: "ETH" })
      assert.deepStrictEqual(codeOf(swapped), [422, "insufficient_balance"])
      const offRamp = { ...wire("5000"), kind: "OFF_RAMP", amount: money("5000", "USDC_BASE"), country: "PRT" }
      const { answer: wired } = yield* signed("/v1/transfers", offRamp)
      assert.deepStrictEqual(codeOf(wired), [422, "insufficient_balance"])
    })
  )
})
