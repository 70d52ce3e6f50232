import { putRecord } from "@bursar/core/engine/Records"
import { of } from "@bursar/core/money/Amount"
import { Operation } from "@bursar/core/operation/Operation"
import { layerOver } from "@bursar/memory"
import { writing } from "@bursar/testkit/fixtures/commands"
import { bareOperation, newIdAt } from "@bursar/testkit/fixtures/records"
import { commitAt } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Operator } from "./support/Operator.ts"

/** A tenant with two settled operations: one in a currency that is not configured, and one that can be shown. */
const setUp = Effect.gen(function* () {
  const { seeder, state } = yield* Operator
  const id = yield* seeder.tenant()
  const key = yield* seeder.key(id)
  const now = Date.now()
  const settled = { kind: "ADJUSTMENT", actsFor: "CUSTOMER", status: "SETTLED", settledAt: now } as const
  const [lost, known] = [{ ...settled, amount: of(15n, "OLDT_ORCHARD") }, settled].map((more, index) => {
    const tenant = { id } as Parameters<typeof bareOperation>[0]["tenant"] // of it the fixture reads the id alone
    return bareOperation({ tenant, now: now + index, newId: () => newIdAt(now + index) }, more)
  })
  if (lost === undefined || known === undefined) return yield* Effect.die("they are not made")
  const commit = commitAt(
    id,
    now + 2,
    writing(() => [lost, known].map((one) => putRecord(Operation, one)))
  )
  yield* Effect.provide(commit, layerOver(state))
  return { id, key, lost, known }
})

describe("an operation in a currency that is not configured", () => {
  it.live("is left out of the partner's register, and told to the log", () =>
    Effect.gen(function* () {
      const { key, known } = yield* setUp
      const { ask, logged } = yield* Operator
      const told = () => logged.filter((line) => line.includes("operations.unknown_currency")).length
      const page = yield* ask("GET", "/v1/register", { key })
      assert.strictEqual(page.status, 200, page.text)
      assert.deepStrictEqual(
        page.body.entries.map((one: { readonly id: string }) => one.id),
        [known.id]
      )
      assert.strictEqual(told(), 1)
      const summary = yield* ask("GET", "/v1/register/summary", { key })
      assert.strictEqual(summary.status, 200, summary.text)
      assert.lengthOf(summary.body.totals, 1)
      assert.strictEqual(told(), 2)
      // pages go on behind it
      const first = yield* ask("GET", "/v1/register?limit=1", { key })
      const second = yield* ask("GET", `/v1/register?limit=1&cursor=${first.body.next_cursor}`, { key })
      assert.deepStrictEqual([second.status, second.body.entries, second.body.next_cursor], [200, [], null])
    }).pipe(Effect.provide(Operator.layer))
  )

  it.live("is shown to operators who look at it, in base units", () =>
    Effect.gen(function* () {
      const { id, lost } = yield* setUp
      const { operate } = yield* Operator
      const { body, status } = yield* operate("GET", `/operator/v1/tenants/${id}/operations/${lost.id}`)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body.amount, { amount: "15", currency: "base units of OLDT_ORCHARD" })
    }).pipe(Effect.provide(Operator.layer))
  )
})
