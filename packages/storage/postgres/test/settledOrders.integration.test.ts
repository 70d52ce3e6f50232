import { claimReads, ownAnswer } from "@bursar/core/custody/claimOrder"
import { providerOrderKey } from "@bursar/core/custody/ProviderOrder"
import { putRecord } from "@bursar/core/engine/Records"
import { Operation, type OperationStatus } from "@bursar/core/operation/Operation"
import { done } from "@bursar/core/port/ProviderResult"
import { Queries } from "@bursar/core/store/Queries"
import { looking, writing } from "@bursar/testkit/fixtures/commands"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { settledOrders } from "../src/migrations/settledOrders.ts"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

/** Two tenants, the one whose id is the lower first, with an operation each, both of which have claimed one order. */
const claimedTwice = Effect.fnUntraced(function* (...statuses: readonly [OperationStatus, OperationStatus]) {
  const sql = yield* client(url)
  const reference = crypto.randomUUID()
  const key = providerOrderKey("kraken", reference)
  const both = [yield* newTenant(), yield* newTenant()].toSorted((one, other) => (one.id < other.id ? -1 : 1))
  const made = both.map((tenant, index) =>
    bareOperation(
      { newId: () => crypto.randomUUID(), now: past, tenant },
      { kind: "WITHDRAWAL", status: statuses[index] ?? "SENT", provider: "kraken", details: { sent_at: past } }
    )
  )
  for (const operation of made) {
    yield* commitAt(
      operation.tenantId,
      past,
      writing(() => [putRecord(Operation, operation)])
    )
    yield* sql`insert into provider_order ${sql.insert({
      tenant_id: operation.tenantId,
      provider_order_key: key,
      provider: "kraken",
      provider_reference: reference,
      operation_id: operation.id
    })}`
  }
  yield* sql`insert into provider_order_directory ${sql.insert({ provider_order_key: key, tenant_id: both[0]?.id })}`
  yield* Effect.forEach(settledOrders.statements(sql), (statement) => statement, { discard: true })
  const told = done({ providerReference: reference })
  const answers = yield* Effect.forEach(made, (operation) =>
    commitAt(
      operation.tenantId,
      past,
      looking(claimReads(operation, told), (view) => ownAnswer(view, operation, told)._tag)
    )
  )
  const queries = yield* Queries
  const after = yield* Effect.forEach(made, ({ id, tenantId }) => queries.operation(tenantId, id))
  return { answers: answers.flat(), ids: made.map(({ id }) => id), noted: after.map((one) => one?.details), reference }
})

describe("an order that two tenants had claimed before it could be one's only", () => {
  layer(ports(), { excludeTestServices: true })((it) => {
    for (const [first, second, owner] of [
      ["PROCESSING", "SETTLED", "second"],
      ["FAILED", "SETTLED", "second"],
      ["PROCESSING", "FAILED", "second"],
      ["PROCESSING", "PROCESSING", "first"],
      ["SETTLED", "PROCESSING", "first"]
    ] as const)
      it.effect(`answers one of them: of ${first} and ${second} the ${owner}`, () =>
        Effect.gen(function* () {
          const made = yield* claimedTwice(first, second)
          assert.deepStrictEqual(made.answers, owner === "first" ? ["Done", "Unknown"] : ["Unknown", "Done"])
          assert.deepStrictEqual(made.noted, [{ sent_at: past }, { sent_at: past }])
        }).pipe(Effect.scoped)
      )

    it.effect("and that has settled both, is a contradiction of the one that it does not belong to", () =>
      Effect.gen(function* () {
        const { answers, ids, noted, reference } = yield* claimedTwice("SETTLED", "SETTLED")
        assert.deepStrictEqual(answers, ["Done", "Unknown"])
        assert.isUndefined(noted[0]?.contradiction)
        assert.strictEqual(noted[1]?.contradiction?.said, `the order ${reference} belongs to operation ${ids[0]}`)
        assert.isTrue(Number.isSafeInteger(noted[1]?.contradiction?.at))
        assert.strictEqual(noted[1]?.sent_at, past)
      }).pipe(Effect.scoped)
    )
  })
})
