import { putRecord } from "@bursar/core/engine/Records"
import { Operation } from "@bursar/core/operation/Operation"
import { Payout } from "@bursar/core/payout/Payout"
import { writing } from "@bursar/testkit/fixtures/commands"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { besideOdd } from "./support/oddOperations.ts"
import { Operator } from "./support/Operator.ts"
import { stored } from "./support/stored.ts"

const odd = new Set<string>()

/** Two operations of a new tenant, the ids of them, and whoever asks for them. */
const twoOf = (kind: "CHAIN_PAYOUT" | "SWAP" | "WITHDRAWAL") =>
  Effect.gen(function* () {
    const { ask, operate, seeder, state } = yield* Operator
    const tenant = yield* seeder.tenant()
    const key = yield* seeder.key(tenant)
    for (let count = 0; count < 2; count += 1)
      yield* seeder.submit(
        tenant,
        writing((view) => [
          putRecord(Operation, bareOperation(view, { kind, network: "ethereum", status: "IN_REVIEW" }))
        ])
      )
    const [one, other] = [...stored(state, tenant, Operation).keys()]
    if (one === undefined || other === undefined) return assert.fail("they are not there")
    return { tenant, one, other, operate, state, partner: (path: string) => ask("GET", path, { key }) }
  })

const idsOf = (all: ReadonlyArray<{ readonly id: string }>) => all.map(({ id }) => id)

describe("what operators look at", () => {
  it.live("has an operation that cannot be read among those that it names, and all others", () =>
    Effect.gen(function* () {
      const { one, operate, other, tenant } = yield* twoOf("CHAIN_PAYOUT")
      odd.add(one)
      for (const [path, list] of [
        [`/operator/v1/tenants/${tenant}/payouts`, "payouts"],
        [`/operator/v1/operations?tenant_id=${tenant}`, "operations"]
      ] as const) {
        const { body, status, text } = yield* operate("GET", path)
        assert.strictEqual(status, 200, text)
        assert.deepStrictEqual([idsOf(body[list]), idsOf(body.unreadable)], [[other], [one]], path)
      }
      const { body, status } = yield* operate("GET", `/operator/v1/tenants/${tenant}/reviews`)
      assert.deepStrictEqual([status, idsOf(body.unreadable)], [200, [one]])
      const { found } = (yield* operate("GET", `/operator/v1/search?text=${one}`)).body
      assert.lengthOf(found, 1)
      assert.deepInclude(found[0], { operation_id: one, kind: "CHAIN_PAYOUT", status: null, amount: null })
    }).pipe(Effect.provide(Operator.layerWith({}, besideOdd(odd))))
  )

  it.live("has one of which somebody has changed the payout among them, too", () =>
    Effect.gen(function* () {
      const { one, operate, other, state, tenant } = yield* twoOf("CHAIN_PAYOUT")
      const payout = {
        ...{ operationId: one, network: "ethereum", currency: "ETH", contract: null, units: 1n, to: "0x1", memo: null },
        ...{ transactionId: null, earlierTransactions: [], attempts: 0, alone: false, madeBy: "x" },
        ...{ reviewedBy: null, cancelledBy: null, waits: {} }
      }
      // what a column holds after somebody has changed it
      stored(state, tenant, Payout).set(one, payout as unknown as Payout)
      const { body, status, text } = yield* operate("GET", "/operator/v1/operations")
      assert.strictEqual(status, 200, text)
      assert.deepStrictEqual([idsOf(body.operations), idsOf(body.unreadable)], [[other], [one]])
    }).pipe(Effect.provide(Operator.layer))
  )
})

describe("what a partner looks at", () => {
  for (const [kind, path] of [
    ["WITHDRAWAL", "/v1/withdrawals"],
    ["SWAP", "/v1/swaps"],
    ["WITHDRAWAL", "/v1/register"]
  ] as const)
    it.live(`is whole or names what cannot be read, and lacks nothing without a word: ${path}`, () =>
      Effect.gen(function* () {
        const { one, partner } = yield* twoOf(kind)
        odd.add(one)
        const { body, status } = yield* partner(path)
        assert.deepStrictEqual([status, body.error.code], [500, "internal_error"])
        assert.include(body.error.message, one)
        assert.strictEqual((yield* partner(`${path}?limit=1`)).status, 200)
      }).pipe(Effect.provide(Operator.layerWith({}, besideOdd(odd))))
    )
})
