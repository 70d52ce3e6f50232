import { of } from "@bursar/core/money/Amount"
import { Operation } from "@bursar/core/operation/Operation"
import { transferKinds } from "@bursar/core/transfer/Transfer"
import { Queries, type RegisterQuery } from "@bursar/core/store/Queries"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { writing } from "../../fixtures/commands.ts"
import { bareOperation, hugeUnits, newIdAt } from "../../fixtures/records.ts"
import { commitAt, newTenant, past } from "../../fixtures/tenants.ts"
import type { QueriesIt } from "./ports.ts"
import { putRecord } from "@bursar/core/engine/Records"

const customer = "01902f4e-0000-7000-8000-0000000000aa"

/** Seven operations of a tenant, oldest first; the third and fourth share a moment. */
const seven: ReadonlyArray<Partial<Operation>> = [
  { kind: "ADJUSTMENT", status: "SETTLED", partnerReference: "mine", createdAt: past },
  {
    kind: "SWAP",
    status: "SETTLED",
    amount: of(hugeUnits, "ETH"),
    customerFee: of(hugeUnits, "ETH"),
    createdAt: past + 10
  },
  { kind: "SWAP", status: "SETTLED", amount: of(5n, "ETH"), customerFee: of(3n, "ETH"), createdAt: past + 20 },
  { kind: "SWAP", status: "FAILED", amount: of(7n, "ETH"), createdAt: past + 20 },
  { kind: "SWAP", status: "SETTLED", amount: of(7n, "BTC"), customerFee: of(0n, "BTC"), createdAt: past + 30 },
  {
    kind: "ON_RAMP",
    status: "AWAITING_FUNDS",
    customerId: customer,
    actsFor: "CUSTOMER",
    unresolved: true,
    createdAt: past + 40
  },
  {
    kind: "ON_RAMP",
    status: "AWAITING_FUNDS",
    customerId: null,
    actsFor: "CUSTOMER",
    partnerReference: "mine",
    createdAt: past + 50
  }
]

const setUp = Effect.gen(function* () {
  const tenant = yield* newTenant({ createdAt: past })
  const view = { tenant, now: past, newId: () => newIdAt(past) }
  const ids = Array.from({ length: seven.length }, () => crypto.randomUUID()).toSorted()
  // ids fall as time goes on, so that an order by id alone is found out; for those of one moment they rise
  const places = [6, 5, 3, 4, 2, 1, 0]
  const operations = seven.map((more, index) => bareOperation(view, { ...more, id: ids[places[index] ?? 0] ?? "" }))
  yield* commitAt(
    tenant.id,
    past + 50,
    writing(() => operations.map((operation) => putRecord(Operation, operation)))
  )
  const queries = yield* Queries
  return {
    tenant,
    operations,
    queries,
    place: (operation: Operation) => operations.findIndex(({ id }) => id === operation.id)
  }
})

/** The register of operations and its totals. */
export const registerTests = (it: QueriesIt, timeoutMs: number): void => {
  it.effect(
    "the register shows operations newest first, by every filter, alone and together",
    () =>
      Effect.gen(function* () {
        const { place, queries, tenant } = yield* setUp
        const list = (query: Partial<RegisterQuery>) =>
          Effect.map(queries.register(tenant.id, { limit: 100, ...query }), (found) => found.map(place))
        assert.deepStrictEqual(yield* list({}), [6, 5, 4, 3, 2, 1, 0])
        assert.deepStrictEqual(yield* list({ kind: "SWAP" }), [4, 3, 2, 1])
        assert.deepStrictEqual(yield* list({ status: "FAILED" }), [3])
        assert.deepStrictEqual(yield* list({ currency: "BTC" }), [4])
        assert.deepStrictEqual(yield* list({ customerId: customer }), [5])
        assert.deepStrictEqual(yield* list({ actsFor: "CUSTOMER" }), [6, 5])
        assert.deepStrictEqual(yield* list({ since: past + 20, until: past + 40 }), [4, 3, 2])
        assert.deepStrictEqual(yield* list({ kind: "SWAP", status: "SETTLED", currency: "ETH", since: past + 11 }), [2])
        assert.deepStrictEqual(yield* list({ kind: "DEPOSIT" }), [])
        assert.deepStrictEqual(yield* list({ kinds: ["ON_RAMP", "ADJUSTMENT", "REFUND"] }), [6, 5, 0])
        assert.deepStrictEqual(yield* list({ kinds: [...transferKinds] }), [6, 5])
        assert.deepStrictEqual(yield* list({ kinds: ["ON_RAMP"], status: "AWAITING_FUNDS", since: past + 41 }), [6])
        assert.deepStrictEqual(yield* list({ unresolved: true }), [5])
        assert.deepStrictEqual(yield* list({ unresolved: true, kind: "SWAP" }), [])
        assert.deepStrictEqual(yield* list({ unresolved: false, since: past + 30 }), [6, 4])
        assert.deepStrictEqual(yield* list({ partnerReference: "mine" }), [6, 0])
        assert.deepStrictEqual(yield* list({ partnerReference: "mine", kinds: [...transferKinds] }), [6])
        assert.deepStrictEqual(yield* list({ partnerReference: "Mine" }), [])
      }),
    timeoutMs
  )

  it.effect(
    "pages of the register follow one another without overlap, within one moment too",
    () =>
      Effect.gen(function* () {
        const { place, queries, tenant } = yield* setUp
        const seen: Array<number> = []
        let after: RegisterQuery["after"] = undefined
        for (let page = 0; page < 10; page++) {
          const rows: ReadonlyArray<Operation> = yield* queries.register(tenant.id, { limit: 1, after })
          const last = rows.at(-1)
          if (last === undefined) break
          seen.push(...rows.map(place))
          after = { createdAt: last.createdAt, id: last.id }
        }
        assert.deepStrictEqual(seen, [6, 5, 4, 3, 2, 1, 0])
      }),
    timeoutMs
  )

  it.effect(
    "totals are by kind, currency and status, between two moments",
    () =>
      Effect.gen(function* () {
        const { queries, tenant } = yield* setUp
        const totals = yield* queries.summary(tenant.id, {})
        assert.sameDeepMembers(
          [...totals],
          [
            { kind: "ADJUSTMENT", currency: "ETH", status: "SETTLED", count: 1, units: 1n, feeUnits: 0n },
            {
              kind: "SWAP",
              currency: "ETH",
              status: "SETTLED",
              count: 2,
              units: hugeUnits + 5n,
              feeUnits: hugeUnits + 3n
            },
            { kind: "SWAP", currency: "ETH", status: "FAILED", count: 1, units: 7n, feeUnits: 0n },
            { kind: "SWAP", currency: "BTC", status: "SETTLED", count: 1, units: 7n, feeUnits: 0n },
            { kind: "ON_RAMP", currency: "ETH", status: "AWAITING_FUNDS", count: 2, units: 2n, feeUnits: 0n }
          ]
        )
        assert.deepStrictEqual(
          yield* queries
            .summary(tenant.id, { since: past + 20, until: past + 21 })
            .pipe(Effect.map((some) => some.length)),
          2
        )
        assert.deepStrictEqual(yield* queries.summary(tenant.id, { since: past + 1_000 }), [])
      }),
    timeoutMs
  )

  it.effect(
    "nothing of another tenant is shown, by id neither",
    () =>
      Effect.gen(function* () {
        const { operations, queries, tenant } = yield* setUp
        const { id: other } = yield* newTenant({ createdAt: past })
        const [operation] = operations
        assert.deepStrictEqual(yield* queries.operation(tenant.id, operation?.id ?? ""), operation)
        assert.strictEqual(yield* queries.operation(other, operation?.id ?? ""), undefined)
        assert.deepStrictEqual(yield* queries.legs(other, operation?.id ?? ""), [])
        assert.deepStrictEqual(yield* queries.register(other, { limit: 10 }), [])
        assert.deepStrictEqual(yield* queries.summary(other, {}), [])
        assert.strictEqual(yield* queries.idempotencyRecord(other, "none"), undefined)
        assert.deepStrictEqual(yield* queries.endpoints(other), [])
      }),
    timeoutMs
  )
}
