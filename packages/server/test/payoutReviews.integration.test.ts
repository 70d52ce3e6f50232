import { stored } from "./support/stored.ts"
import { Payout } from "@bursar/core/payout/Payout"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hashToken } from "../src/keys/operatorTokens.ts"
import { Operator } from "./support/Operator.ts"
import {
  codeOf,
  estimateOf,
  fairWorld,
  money,
  startPayoutServiceAt,
  path,
  paying,
  payingPorts,
  baseRequest
} from "./support/PayoutService.ts"

const tokenOf = (name: string) => `${name}-${"0123456789abcdef".repeat(2)}`

const operators = ["anna", "bert"].map((name) => ({
  name,
  role: "approver" as const,
  tokenHash: hashToken(tokenOf(name)),
  expiresAt: null
}))

const test = <A, E>(name: string, effect: Effect.Effect<A, E, Operator>) =>
  it.live(name, () => Effect.provide(effect, Operator.layerWith({ operators }, payingPorts(fairWorld()))))

/** A tenant whose payouts from 100 dollars on are reviewed, and the operators who do it. */
const setUp = Effect.gen(function* () {
  const { ask, seeder, operate, state } = yield* Operator
  const service = yield* startPayoutServiceAt({ seeder, send: ask, state }, { policy: { payoutReviewUsd: "100" } })
  const review = (name: string, id: string, what: "approve" | "reject", body?: unknown) =>
    operate("POST", `/operator/v1/tenants/${service.tenant}/payouts/${id}/${what}`, {
      key: tokenOf(name),
      ...(body !== undefined && { body })
    })
  const due = (id: string) => [...state.jobs.values()].filter(({ key }) => key === id).length
  const at = (id: string) => Effect.map(service.get(`${path}/${id}`), ({ body }) => body)
  const float = Effect.map(service.get("/v1/float"), ({ body }) =>
    body.currencies.find((one: { total: { currency: string } }) => one.total.currency === "USDT_ETH")
  )
  return { ...service, review, due, at, float }
})

describe("a chain payout from the tenant's threshold on", () => {
  test(
    "waits for an operator, its amount held, while one below is sent at once",
    Effect.gen(function* () {
      const { at, due, float, get, pay } = yield* setUp
      const below = yield* pay(paying("99.99"))
      assert.deepInclude(below.body, { status: "ACCEPTED", review: null })
      assert.strictEqual(due(below.body.id), 1)
      const { body, status } = yield* pay(baseRequest)
      assert.strictEqual(status, 201)
      assert.deepInclude(body, { status: "IN_REVIEW", review: "PENDING", tx_hash: null, failure_reason: null })
      assert.deepStrictEqual(yield* at(body.id), body)
      assert.strictEqual(due(body.id), 0)
      assert.deepStrictEqual((yield* float).held, money("199.99"))
      const { body: estimate } = yield* estimateOf({ get }, "currency=USDT_ETH&amount=100")
      assert.deepInclude(estimate.limits, { review_at_or_above_usd: "100.00", daily_used_usd: "199.99" })
    })
  )

  test(
    "is sent once it is approved, and its partner reads so, whatever a replay says of the beginning",
    Effect.gen(function* () {
      const { at, due, pay, review } = yield* setUp
      const { body, text } = yield* pay(baseRequest, "k")
      assert.strictEqual((yield* review("anna", body.id, "approve")).status, 200)
      assert.deepStrictEqual(yield* at(body.id), { ...body, status: "ACCEPTED", review: "APPROVED" })
      assert.strictEqual(due(body.id), 1)
      const again = yield* pay(baseRequest, "k")
      assert.deepStrictEqual([again.status, again.text], [201, text])
      assert.deepStrictEqual(codeOf(yield* review("bert", body.id, "reject", { reason: "late" })), [
        409,
        "state_conflict"
      ])
      assert.deepInclude(yield* at(body.id), { status: "ACCEPTED", review: "APPROVED" })
    })
  )

  test(
    "fails for good where it is rejected: what it held and used of the limits is given back, and its partner is told",
    Effect.gen(function* () {
      const { at, due, float, get, pay, review } = yield* setUp
      const { body } = yield* pay(baseRequest)
      assert.strictEqual((yield* review("anna", body.id, "reject", { reason: "on a list" })).status, 200)
      assert.deepStrictEqual(yield* at(body.id), {
        ...body,
        status: "FAILED",
        review: "REJECTED",
        failure_reason: "review_rejected"
      })
      assert.strictEqual(due(body.id), 0)
      assert.deepStrictEqual(yield* float, { available: money("1000"), held: money("0"), total: money("1000") })
      const { body: estimate } = yield* estimateOf({ get }, "currency=USDT_ETH&amount=100")
      assert.strictEqual(estimate.limits.daily_used_usd, "0.00")
      const { body: feed } = yield* get("/v1/events")
      assert.deepInclude(feed.events.at(-1), {
        kind: "chain_payout.failed",
        resource_id: body.id,
        data: {
          operation_id: body.id,
          kind: "CHAIN_PAYOUT",
          status: "FAILED",
          amount: "100",
          currency: "USDT_ETH",
          provider_reference: null,
          tx_hash: null
        }
      })
      assert.deepStrictEqual(codeOf(yield* review("anna", body.id, "approve")), [409, "state_conflict"])
    })
  )

  test(
    "is never decided by its own maker, for whom nothing changes",
    Effect.gen(function* () {
      const { at, books, due, pay, review, state, tenant } = yield* setUp
      const { body } = yield* pay(baseRequest)
      const payouts = stored(state, tenant, Payout)
      // the map of this kind holds payouts alone
      payouts?.set(body.id, { ...(payouts.get(body.id) as Payout), madeBy: "anna" })
      const before = books()
      for (const [what, sent] of [
        ["approve", undefined],
        ["reject", { reason: "mine" }]
      ] as const)
        assert.deepStrictEqual(codeOf(yield* review("anna", body.id, what, sent)), [409, "state_conflict"])
      assert.deepStrictEqual(books(), before)
      assert.strictEqual((yield* review("bert", body.id, "approve")).status, 200)
      assert.deepInclude(yield* at(body.id), { status: "ACCEPTED", review: "APPROVED" })
      assert.strictEqual(due(body.id), 1)
    })
  )
})
