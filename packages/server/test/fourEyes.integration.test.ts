import { stored } from "./support/stored.ts"
import { Operation } from "@bursar/core/operation/Operation"
import { Destination } from "@bursar/core/destination/Destination"
import { checkTenant } from "@bursar/core/checker/checkTenant"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Rate } from "@bursar/core/money/Rate"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { Prices } from "@bursar/core/port/Prices"
import { layerOver } from "@bursar/memory"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { Operator } from "./support/Operator.ts"
import { type Answer, portsOver } from "./support/Partner.ts"
import { hashToken } from "../src/keys/operatorTokens.ts"

const codeOf = ({ body, status }: Answer) => [status, body?.error?.code]

const tokenOf = (name: string) => `${name}-${"0123456789abcdef".repeat(2)}`

const operators = [
  { name: "otto", role: "operator" as const, tokenHash: hashToken(tokenOf("otto")), expiresAt: null },
  { name: "anna", role: "approver" as const, tokenHash: hashToken(tokenOf("anna")), expiresAt: null },
  { name: "ben", role: "approver" as const, tokenHash: hashToken(tokenOf("ben")), expiresAt: null }
]

/** One of everything is worth a dollar, but for bitcoin, whose price nobody knows. */
const prices = Layer.succeed(
  Prices,
  Prices.of({
    usd: (currency) =>
      Effect.map(Clock.currentTimeMillis, (observedAt): Rate | null =>
        currency === "BTC" ? null : { price: { units: 1n, decimals: 0 }, source: "test", observedAt }
      ),
    rate: () => Effect.succeed(null)
  })
)

const test = <A, E>(name: string, effect: Effect.Effect<A, E, Operator>) =>
  it.live(name, () =>
    Effect.provide(
      effect,
      Operator.layerWith({ operators }, (state) => Layer.merge(portsOver(state), prices))
    )
  )

const setUp = Effect.gen(function* () {
  const { seeder, operate, state } = yield* Operator
  const tenant = yield* seeder.tenant({ policy: { adjustmentReviewUsd: "1000" } })
  const root = `/operator/v1/tenants/${tenant}`
  const as = (name: string, method: string, path: string, body?: unknown) =>
    operate(method, `${root}${path}`, { key: tokenOf(name), ...(body === undefined ? {} : { body }) })
  const adjust = (name: string, amount: string, currency = "USDT_ETH") =>
    as(name, "POST", "/float-adjustments", { currency, amount, against: "custodian", reason: "a reason" })
  const available = (currency = "USDT_ETH") =>
    Effect.map(
      as("otto", "GET", "/float"),
      ({ body }) =>
        body.currencies.find(
          (one: { readonly total: { readonly currency: string } }) => one.total.currency === currency
        )?.available.amount
    )
  const check = Effect.provide(
    Effect.flatMap(LedgerSnapshot, (ledger) => ledger.snapshot(tenant, checkTenant)),
    layerOver(state)
  )
  return { adjust, as, available, check, operate, root, state, tenant }
})

describe("four eyes", () => {
  test(
    "or two: an adjustment that is sent again under its key is made once, be it booked, proposed or refused",
    Effect.gen(function* () {
      const { available, check, operate, root, state, tenant } = yield* setUp
      const adjust = (key: string, amount: string, currency = "USDT_ETH") =>
        operate("POST", `${root}/float-adjustments`, {
          key: tokenOf("otto"),
          headers: { "idempotency-key": key },
          body: { currency, amount, against: "custodian", reason: "a reason" }
        })
      const booked = yield* adjust("march", "600")
      assert.deepStrictEqual([booked.status, booked.body.state], [201, "booked"])
      assert.deepStrictEqual((yield* adjust("march", "600")).body, booked.body)
      assert.strictEqual(yield* available(), "600")
      assert.deepStrictEqual(codeOf(yield* adjust("march", "601")), [422, "idempotency_key_reused"])
      assert.deepStrictEqual(codeOf(yield* adjust("no key at all", "1")), [422, "idempotency_key_invalid"])
      const proposed = yield* adjust("april", "5000")
      assert.deepInclude(proposed.body, { state: "proposed", operation_id: null })
      assert.deepStrictEqual((yield* adjust("april", "5000")).body, proposed.body)
      assert.strictEqual(stored(state, tenant, Operation).size, 1)
      const refused = [422, "insufficient_balance"]
      assert.deepStrictEqual(codeOf(yield* adjust("may", "-1", "USDC_ETH")), refused)
      yield* adjust("june", "1", "USDC_ETH")
      assert.deepStrictEqual(codeOf(yield* adjust("may", "-1", "USDC_ETH")), refused)
      assert.strictEqual(yield* available("USDC_ETH"), "1")
      for (const { firstWrong, invariant } of yield* check) assert.isNull(firstWrong, invariant)
    })
  )

  test(
    "are needed for adjustments from the tenant's threshold on, counted over a day, and nothing is posted before",
    Effect.gen(function* () {
      const { adjust, as, available, check, state, tenant } = yield* setUp
      const small = yield* adjust("otto", "600")
      assert.deepStrictEqual([small.status, small.body.state, small.body.adjustment_id], [201, "booked", null])
      assert.deepStrictEqual(small.body.available, { amount: "600", currency: "USDT_ETH" })
      const second = yield* adjust("anna", "-400")
      assert.deepInclude(second.body, { state: "proposed", operation_id: null })
      assert.strictEqual(yield* available(), "600")
      assert.lengthOf(state.tenants.get(tenant)?.legs ?? [], 2)

      const path = `/float-adjustments/${second.body.adjustment_id}`
      assert.deepStrictEqual(codeOf(yield* as("otto", "POST", `${path}/approve`)), [403, "scope_missing"])
      assert.deepStrictEqual(codeOf(yield* as("anna", "POST", `${path}/approve`)), [409, "state_conflict"])
      const approved = yield* as("ben", "POST", `${path}/approve`)
      assert.deepInclude(approved.body, { state: "booked", available: { amount: "200", currency: "USDT_ETH" } })
      assert.deepStrictEqual(codeOf(yield* as("ben", "POST", `${path}/approve`)), [409, "state_conflict"])
      const { adjustments } = (yield* as("otto", "GET", "/float-adjustments")).body
      assert.deepInclude(adjustments[0], {
        state: "BOOKED",
        amount: { amount: "-400", currency: "USDT_ETH" },
        against: "custodian",
        proposed_by: "anna",
        decided_by: "ben",
        operation_id: approved.body.operation_id
      })
      const operation = stored(state, tenant, Operation).get(approved.body.operation_id)
      assert.deepStrictEqual(operation?.details, {
        reason: "a reason",
        made_by: "anna",
        approved_by: "ben",
        against: "custodian"
      })
      for (const { firstWrong } of yield* check) assert.isNull(firstWrong)
    })
  )

  test(
    "are needed where the worth is not known; whoever proposed may take it back",
    Effect.gen(function* () {
      const { adjust, as, available } = yield* setUp
      const { body } = yield* adjust("otto", "0.00000001", "BTC")
      assert.strictEqual(body.state, "proposed")
      const path = `/float-adjustments/${body.adjustment_id}`
      const rejected = yield* as("otto", "POST", `${path}/reject`, { reason: "a slip" })
      assert.deepInclude(rejected.body, { state: "REJECTED", decided_by: "otto", rejected_reason: "a slip" })
      assert.deepStrictEqual(codeOf(yield* as("ben", "POST", `${path}/approve`)), [409, "state_conflict"])
      assert.strictEqual(yield* available("BTC"), undefined)
    })
  )

  test(
    "find at approval what has gone since, and refuse what makes no sense",
    Effect.gen(function* () {
      const { adjust, as } = yield* setUp
      assert.deepStrictEqual(codeOf(yield* adjust("otto", "-1")), [422, "insufficient_balance"])
      assert.deepStrictEqual(codeOf(yield* adjust("otto", "0")), [422, "amount_invalid"])
      assert.deepStrictEqual(codeOf(yield* adjust("otto", "0.0000001")), [422, "amount_too_precise"])
      assert.deepStrictEqual(codeOf(yield* adjust("otto", "1", "DOGE")), [422, "unsupported_asset"])
      const { body } = yield* adjust("otto", "-5000")
      const approve = as("ben", "POST", `/float-adjustments/${body.adjustment_id}/approve`)
      assert.deepStrictEqual(codeOf(yield* approve), [422, "insufficient_balance"])
      const anId = crypto.randomUUID()
      assert.deepStrictEqual(codeOf(yield* as("ben", "POST", `/float-adjustments/${anId}/approve`)), [404, "not_found"])
    })
  )

  test(
    "are needed for destinations, whose memo is one that the network has",
    Effect.gen(function* () {
      const { as } = yield* setUp
      const address = `0x${"ab".repeat(20)}`
      const propose = (more: object = {}) =>
        as("anna", "POST", "/destinations", { currency: "USDT_ETH", address, label: "Treasury", ...more })
      assert.deepStrictEqual(codeOf(yield* propose({ memo: "42" })), [422, "memo_invalid"])
      const token = defaultCurrencies.byCode("USDC_ETH")?.asset?.contract
      for (const bad of ["nowhere", token])
        assert.deepStrictEqual(codeOf(yield* propose({ address: bad })), [422, "address_invalid"], bad ?? "")
      const { body } = yield* propose()
      assert.strictEqual(body.proposed_by, "anna")
      const seen = { currency: "USDT_ETH", address: body.address }
      const verify = (name: string, told: object = seen) => as(name, "POST", `/destinations/${body.id}/verify`, told)
      assert.deepStrictEqual(codeOf(yield* verify("otto")), [403, "scope_missing"])
      assert.deepStrictEqual(codeOf(yield* verify("anna")), [409, "state_conflict"])
      // what a thief has written into the proposal since it was looked at
      for (const other of [{ currency: "USDC_ETH" }, { address: `0x${"cd".repeat(20)}` }, { memo: "7" }])
        assert.deepStrictEqual(codeOf(yield* verify("ben", { ...seen, ...other })), [409, "state_conflict"])
      assert.strictEqual((yield* verify("ben")).body.verified_by, "ben")
      const rejected = yield* as("otto", "POST", `/destinations/${body.id}/reject`, { reason: "lost" })
      assert.strictEqual(rejected.body.rejected_reason, "lost")
    })
  )
})

/** What the checker finds. */
const foundBy = (operate: Operator["Service"]["operate"]) =>
  Effect.map(operate("GET", "/operator/v1/check"), ({ body: { invariants } }) =>
    invariants.flatMap((one: { readonly invariant: string; readonly first_wrong: string | null }) =>
      one.first_wrong === null ? [] : [`${one.invariant}: ${one.first_wrong}`]
    )
  )

describe("a destination that operators verified", () => {
  test(
    "is what the log of their actions says: whoever writes another address, another one or an older state is found",
    Effect.gen(function* () {
      const { as, operate, state, tenant } = yield* setUp
      const address = `0x${"ab".repeat(20)}`
      const { body } = yield* as("anna", "POST", "/destinations", { currency: "USDT_ETH", address, label: "Treasury" })
      yield* as("ben", "POST", `/destinations/${body.id}/verify`, { currency: "USDT_ETH", address: body.address })
      const found = foundBy(operate)
      assert.deepStrictEqual(yield* found, [])
      const records = stored(state, tenant, Destination)
      const verified = records.get(body.id)
      if (verified === undefined) return assert.fail("nothing was verified")
      records.set(body.id, { ...verified, address: "0xthief" })
      assert.deepStrictEqual(yield* found, [`destination-log: destination ${body.id} is not what ben verified`])
      records.set(body.id, verified)
      yield* as("anna", "POST", `/destinations/${body.id}/reject`, { reason: "lost" })
      assert.deepStrictEqual(yield* found, [])
      records.set(body.id, verified)
      assert.deepStrictEqual(yield* found, [
        `destination-log: destination ${body.id} was rejected by an operator and stands`
      ])
    })
  )
})

describe("the path of an operator's action", () => {
  test(
    "may have capitals: the checker finds who verified a destination by it, and who rejected it",
    Effect.gen(function* () {
      const { as, operate, state, tenant } = yield* setUp
      const address = `0x${"ab".repeat(20)}`
      const { body } = yield* as("anna", "POST", "/destinations", { currency: "USDT_ETH", address, label: "Treasury" })
      const path = `/operator/v1/tenants/${tenant.toUpperCase()}/destinations/${String(body.id).toUpperCase()}`
      const verified = yield* operate("POST", `${path}/verify`, {
        key: tokenOf("ben"),
        body: { currency: "USDT_ETH", address: body.address }
      })
      assert.strictEqual(verified.status, 200, verified.text)
      assert.deepStrictEqual(yield* foundBy(operate), [])
      const records = stored(state, tenant, Destination)
      const before = records.get(body.id) ?? assert.fail("nothing was verified")
      const rejected = yield* operate("POST", `${path}/reject`, { key: tokenOf("anna"), body: { reason: "lost" } })
      assert.strictEqual(rejected.status, 200, rejected.text)
      records.set(body.id, before)
      assert.deepStrictEqual(yield* foundBy(operate), [
        `destination-log: destination ${body.id} was rejected by an operator and stands`
      ])
    })
  )
})

describe("fee rules", () => {
  test(
    "tell beforehand what an amount would be charged, and by which rule",
    Effect.gen(function* () {
      const { operate } = yield* Operator
      const { tenant } = yield* setUp
      const root = `/operator/v1/tenants/${tenant}`
      const simulate = (query: string) => operate("GET", `${root}/fee-simulation?product=CHAIN_PAYOUT&${query}`)
      const free = yield* simulate("currency=USDT_ETH&amount=100")
      assert.deepInclude(free.body, { fee: { amount: "0", currency: "USDT_ETH" }, rule: null, of_service: false })
      const rule = { product: "CHAIN_PAYOUT", rail: "ethereum", percent: "0.5", minimum_fee: "2", priority: 1 }
      const add = (body: object) => operate("POST", `${root}/fee-rules`, { body })
      assert.strictEqual((yield* add(rule)).status, 201)
      assert.deepStrictEqual(codeOf(yield* add({ ...rule, percent: "100.01" })), [422, "invalid_request"])
      assert.deepStrictEqual(codeOf(yield* add({ ...rule, percent: "-1" })), [422, "invalid_request"])
      const mistyped = yield* add({ ...rule, rail: "etherum" })
      assert.deepStrictEqual(codeOf(mistyped), [422, "invalid_request"])
      assert.include(JSON.stringify(mistyped.body), "body.rail")
      const charged = yield* simulate("currency=USDT_ETH&amount=1000&rail=ethereum")
      assert.deepStrictEqual(charged.body.total, { amount: "1005", currency: "USDT_ETH" })
      assert.deepInclude(charged.body.rule, { rail: "ethereum", percent: "0.5", minimum_fee: "2" })
      assert.deepStrictEqual((yield* simulate("currency=USDT_ETH&amount=1&rail=ethereum")).body.fee.amount, "2")
      // what is paid on a chain takes the network of its currency, whatever rail is named
      for (const rail of ["", "&rail=tron", "&rail=ETHEREUM"])
        assert.strictEqual((yield* simulate(`currency=USDT_ETH&amount=1${rail}`)).body.fee.amount, "2", rail)
      assert.deepStrictEqual(codeOf(yield* simulate("currency=X&amount=1")), [422, "unsupported_asset"])
    })
  )
})
