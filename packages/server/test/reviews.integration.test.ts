import { of } from "@bursar/core/money/Amount"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { defaultPolicy } from "@bursar/core/tenant/Tenant"
import { proposeDestination, verifyDestination } from "@bursar/core/destination/destinationCommands"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Operator } from "./support/Operator.ts"
import { codeOf } from "./support/PayoutService.ts"
import { silentServers } from "./support/SilentProviders.ts"

const tokenOf = (name: string) => `${name}-${"0123456789abcdef".repeat(2)}`

const euro = (amount: string) => ({ amount, currency: "EUR" })
const ana = { beneficiary_name: "Ana Silva", beneficiary_account: "PT50 0002 0123 1234 5678 9015 4" }

/** Whom `wire` pays, as operators are told. */
const payingAna = {
  receiver: "PT50000201231234567890154",
  receiver_name: "Ana Silva",
  receiver_bank: null,
  memo: null,
  new_receiver: true
}

const receiverNames = ["receiver", "receiver_name", "receiver_bank", "memo", "new_receiver"]

/** Whom an answer says that an operation pays. */
const receiverIn = (told: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(receiverNames.map((name) => [name, told[name]]))

/** A tenant with 100,000 EUR at the bank and as many USDC at the custodian, whose money out is reviewed from 500 dollars on. */
const open = Effect.gen(function* () {
  const { ask, seeder, operate, state } = yield* Operator
  const policy = { ...defaultPolicy, ipAllowlist: null, destinationCoolingHours: 0 }
  const id = yield* seeder.tenant({ policy: { ...policy, payoutReviewUsd: "500", withdrawalReviewUsd: "500" } })
  const key = yield* seeder.key(id)
  yield* seeder.submit(id, adjustFloat({ amount: of(10_000_000n, "EUR"), against: "bank", reason: "t" }))
  yield* seeder.submit(id, adjustFloat({ amount: of(10n ** 11n, "USDC_BASE"), against: "custodian", reason: "t" }))
  const place = { currency: "USDC_BASE", network: "base", address: `0x${"aa".repeat(20)}`, memo: null } as const
  const { id: proposal } = yield* seeder.submit(id, proposeDestination({ ...place, label: "Treasury", by: "ann" }))
  yield* seeder.submit(id, verifyDestination(proposal, "bob"))
  let made = 0
  const post = (path: string, body: unknown) =>
    ask("POST", path, { key, body, headers: { "idempotency-key": `k-${(made += 1)}` } })
  const wire = (amount: string) => post("/v1/transfers", { ...ana, kind: "BANK_TRANSFER", amount: euro(amount) })
  const reviews = `/operator/v1/tenants/${id}/reviews`
  const say = (name: string, path: string, body?: unknown) =>
    operate("POST", `${reviews}/${path}`, { key: tokenOf(name), ...(body !== undefined && { body }) })
  const queue = Effect.map(operate("GET", reviews, { key: tokenOf("vera") }), ({ body }) => body.reviews)
  const status = (transfer: string) =>
    Effect.map(ask("GET", `/v1/transfers/${transfer}`, { key }), ({ body }) => body.status)
  const held = Effect.map(
    ask("GET", "/v1/float", { key }),
    ({ body }) => body.currencies.find((one: { held: { currency: string } }) => one.held.currency === "EUR").held.amount
  )
  const due = (operation: string) => [...state.jobs.values()].filter((one) => one.key === operation).length
  const shown = (operation: string) =>
    Effect.map(
      operate("GET", `/operator/v1/tenants/${id}/operations/${operation}`, { key: tokenOf("vera") }),
      ({ body }) => body
    )
  const listed = Effect.map(
    operate("GET", `/operator/v1/operations?tenant_id=${id}&status=IN_REVIEW`, { key: tokenOf("vera") }),
    ({ body }) => body.operations
  )
  return { post, wire, say, queue, status, held, due, shown, listed }
})

layer(
  silentServers({ says: new Map(), proof: { verdict: "UNREADABLE", reason: "-" }, parts: new Map(), working: false }),
  {
    excludeTestServices: true
  }
)("money that waits for an operator", (it) => {
  it.effect("is a bank transfer from the threshold on: it has no job until an operator approves it", () =>
    Effect.gen(function* () {
      const { due, held, queue, say, status, wire } = yield* open
      const below = (yield* wire("499.99")).body
      assert.deepStrictEqual([below.status, due(below.id)], ["ACCEPTED", 1])
      const { body } = yield* wire("500")
      assert.deepStrictEqual([body.status, due(body.id), yield* held], ["IN_REVIEW", 0, "999.99"])
      const [waits, ...others] = yield* queue
      assert.deepStrictEqual(others, [])
      assert.deepInclude(waits, {
        id: body.id,
        kind: "BANK_TRANSFER",
        worth_usd: "500.00",
        ...payingAna,
        review: "PENDING"
      })
      assert.strictEqual((yield* say("otto", `${body.id}/approve`)).status, 403)
      const approved = yield* say("anna", `${body.id}/approve`)
      assert.deepInclude(approved.body, { status: "ACCEPTED", review: "APPROVED", reviewed_by: "anna" })
      assert.deepStrictEqual([yield* status(body.id), due(body.id), yield* queue], ["ACCEPTED", 1, []])
      assert.deepStrictEqual(codeOf(yield* say("ben", `${body.id}/reject`, { reason: "late" })), [
        409,
        "state_conflict"
      ])
    })
  )

  it.effect("fails where it is rejected or cancelled, and gives back what it held", () =>
    Effect.gen(function* () {
      const { due, held, queue, say, status, wire } = yield* open
      const [first, second] = [(yield* wire("600")).body, (yield* wire("700")).body]
      const rejected = yield* say("ben", `${first.id}/reject`, { reason: "on a list" })
      assert.deepInclude(rejected.body, {
        status: "FAILED",
        review: "REJECTED",
        reason: "on a list",
        failure_reason: "review_rejected"
      })
      const cancelled = yield* say("otto", `${second.id}/cancel`)
      assert.deepInclude(cancelled.body, { review: "REJECTED", failure_reason: "cancelled_by_operator" })
      assert.deepStrictEqual([yield* status(first.id), yield* status(second.id)], ["FAILED", "FAILED"])
      assert.deepStrictEqual([yield* held, due(first.id), due(second.id), yield* queue], ["0", 0, 0, []])
    })
  )

  it.effect("is a withdrawal, too, where the tenant's policy says so", () =>
    Effect.gen(function* () {
      const { due, post, queue, say } = yield* open
      const amount = { amount: "500", currency: "USDC_BASE" }
      const { body } = yield* post("/v1/withdrawals", { amount })
      assert.deepStrictEqual([body.status, due(body.id)], ["IN_REVIEW", 0])
      assert.deepStrictEqual(
        (yield* queue).map(({ kind }: { kind: string }) => kind),
        ["WITHDRAWAL"]
      )
      assert.strictEqual((yield* say("anna", `${body.id}/approve`)).body.status, "ACCEPTED")
      assert.strictEqual(due(body.id), 1)
    })
  )

  it.effect("is shown with whom it pays wherever an operator can meet it, in the same words", () =>
    Effect.gen(function* () {
      const { listed, post, queue, shown, wire } = yield* open
      const { body: transfer } = yield* wire("900")
      const { body: withdrawal } = yield* post("/v1/withdrawals", { amount: { amount: "500", currency: "USDC_BASE" } })
      const toTreasury = {
        receiver: `0x${"aa".repeat(20)}`,
        receiver_name: null,
        receiver_bank: null,
        memo: null,
        new_receiver: false
      }
      const paid = [
        [transfer.id, payingAna],
        [withdrawal.id, toTreasury]
      ] as const
      for (const [id, receiver] of paid) {
        const isIt = (one: { readonly id: string }) => one.id === id
        assert.deepStrictEqual(receiverIn(yield* shown(id)), receiver)
        assert.deepStrictEqual(receiverIn((yield* listed).find(isIt)), receiver)
        assert.deepStrictEqual(receiverIn((yield* queue).find(isIt)), receiver)
      }
    })
  )

  it.effect("is none of what another tenant has, nor of what nobody reviews", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* open, yield* open]
      const { body } = yield* one.wire("500")
      assert.deepStrictEqual(codeOf(yield* other.say("anna", `${body.id}/approve`)), [404, "not_found"])
      const free = (yield* one.wire("10")).body
      assert.deepStrictEqual(codeOf(yield* one.say("anna", `${free.id}/approve`)), [404, "not_found"])
      assert.strictEqual(yield* one.status(body.id), "IN_REVIEW")
    })
  )

  it.effect("never passes the tenant's limits: 60,000 to a new account is refused, and holds nothing", () =>
    Effect.gen(function* () {
      const { held, post, wire } = yield* open
      assert.deepStrictEqual(codeOf(yield* wire("60000")), [422, "payout_limit_exceeded"])
      const ramp = { ...ana, kind: "OFF_RAMP", amount: { amount: "20000", currency: "USDC_BASE" }, rail: "SEPA" }
      assert.deepStrictEqual(codeOf(yield* post("/v1/transfers", ramp)), [422, "new_address_limit_exceeded"])
      assert.deepStrictEqual(codeOf(yield* wire("0.99")), [422, "below_minimum"])
      assert.strictEqual(yield* held, "0")
    })
  )
})
