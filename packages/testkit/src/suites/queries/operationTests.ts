import { emit } from "@bursar/core/engine/emit"
import type { Account } from "@bursar/core/ledger/Account"
import { placeReads } from "@bursar/core/ledger/coverShortfall"
import { putRecord } from "@bursar/core/engine/Records"
import { of } from "@bursar/core/money/Amount"
import { Operation } from "@bursar/core/operation/Operation"
import { Payout } from "@bursar/core/payout/Payout"
import { type OperationQuery, Queries } from "@bursar/core/store/Queries"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { writing } from "../../fixtures/commands.ts"
import { bareOperation, newIdAt } from "../../fixtures/records.ts"
import { commitAt, newTenant, past } from "../../fixtures/tenants.ts"
import type { QueriesIt } from "./ports.ts"

const waits = (reason: string) => ({ waits: { reason, detail: "d", since: past } })

const wanted: ReadonlyArray<Partial<Operation>> = [
  { kind: "WITHDRAWAL", status: "ACCEPTED", provider: "one", network: "base", details: waits("switched_off") },
  { kind: "SWAP", status: "PROCESSING", provider: "one", unresolved: true },
  { kind: "BANK_TRANSFER", status: "SETTLED", provider: "two", unresolved: true },
  { kind: "CHAIN_PAYOUT", status: "ACCEPTED", network: "base" },
  {
    kind: "SWAP",
    status: "FAILED",
    provider: "two",
    txHash: "0x12",
    details: { contradiction: { said: "s", at: past } }
  }
]

const payoutOf = (operationId: string): Payout => ({
  operationId,
  network: "base",
  currency: "ETH_BASE",
  contract: null,
  units: 1n,
  to: "t",
  memo: null,
  transactionId: null,
  earlierTransactions: [],
  attempts: 0,
  alone: false,
  waits: { reason: "no_wallet", detail: "d", since: past, tries: 1 },
  madeBy: "maker",
  reviewedBy: null,
  cancelledBy: null
})

let made = 0

/** Five operations of two tenants, in turn, each 10 ms after the one before, at a time of which other tests have nothing. */
const setUp = Effect.gen(function* () {
  made += 1
  const base = past - made * 31_536_000_000
  const period = { since: base, until: base + 1_000 }
  const tenants = [yield* newTenant({ createdAt: past }), yield* newTenant({ createdAt: past })] as const
  const operations = wanted.map((more, index) => {
    const tenant = tenants[index % 2] ?? tenants[0]
    const at = base + index * 10
    return bareOperation({ tenant, now: at, newId: () => newIdAt(at) }, more)
  })
  for (const tenant of tenants) {
    const own = operations.filter(({ tenantId }) => tenantId === tenant.id)
    yield* commitAt(
      tenant.id,
      past + 100,
      writing(() => [
        ...own.map((operation) => putRecord(Operation, operation)),
        ...own.flatMap(({ id, kind }) => (kind === "CHAIN_PAYOUT" ? [putRecord(Payout, payoutOf(id))] : []))
      ])
    )
  }
  const queries = yield* Queries
  const list = (query: Partial<OperationQuery>) =>
    Effect.map(queries.operations({ order: "newest", limit: 100, ...period, ...query }), (found) =>
      found.map(({ id }) => operations.findIndex((one) => one.id === id))
    )
  return { base, list, operations, queries, tenants, period }
})

/** Operations of all tenants as operators look for them, and what is in no register. */
export const operationTests = (it: QueriesIt, timeoutMs: number): void => {
  it.effect(
    "operations of all tenants are found by every filter, newest or oldest first",
    () =>
      Effect.gen(function* () {
        const { base, list, tenants } = yield* setUp
        assert.deepStrictEqual(yield* list({}), [4, 3, 2, 1, 0])
        assert.deepStrictEqual(yield* list({ order: "oldest" }), [0, 1, 2, 3, 4])
        assert.deepStrictEqual(yield* list({ tenantId: tenants[1].id }), [3, 1])
        assert.deepStrictEqual(yield* list({ kinds: ["SWAP", "WITHDRAWAL"] }), [4, 1, 0])
        assert.deepStrictEqual(yield* list({ status: "ACCEPTED" }), [3, 0])
        assert.deepStrictEqual(yield* list({ unresolved: true }), [2, 1])
        assert.deepStrictEqual(yield* list({ unresolved: false, order: "oldest" }), [0, 3, 4])
        assert.deepStrictEqual(yield* list({ contradicted: true }), [4])
        assert.deepStrictEqual(yield* list({ waitingReason: "switched_off" }), [0])
        assert.deepStrictEqual(yield* list({ waitingReason: "no_wallet" }), [3])
        assert.deepStrictEqual(yield* list({ waitingReason: "d" }), [])
        assert.deepStrictEqual(yield* list({ provider: "two" }), [4, 2])
        assert.deepStrictEqual(yield* list({ network: "base", order: "oldest" }), [0, 3])
        assert.deepStrictEqual(yield* list({ txHash: "0x12" }), [4])
        assert.deepStrictEqual(yield* list({ since: base + 10, until: base + 30 }), [2, 1])
        assert.deepStrictEqual(yield* list({ provider: "one", unresolved: true, kinds: ["SWAP"] }), [1])
      }),
    timeoutMs
  )

  it.effect(
    "pages of operations of all tenants follow one another in both orders",
    () =>
      Effect.gen(function* () {
        const { operations, queries, period } = yield* setUp
        const ids = operations.map(({ id }) => id)
        for (const order of ["newest", "oldest"] as const) {
          const seen: Array<string> = []
          let after: OperationQuery["after"] = undefined
          for (let page = 0; page < 10; page++) {
            const rows: ReadonlyArray<Operation> = yield* queries.operations({ ...period, order, limit: 2, after })
            const last = rows.at(-1)
            if (last === undefined) break
            seen.push(...rows.map(({ id }) => id))
            after = { createdAt: last.createdAt, id: last.id }
          }
          assert.deepStrictEqual(seen, order === "oldest" ? ids : ids.toReversed())
        }
      }),
    timeoutMs
  )

  it.effect(
    "the events of a record are its own, oldest first",
    () =>
      Effect.gen(function* () {
        const { operations, queries, tenants } = yield* setUp
        const [first, , third] = operations.map(({ id }) => id)
        if (first === undefined || third === undefined) return assert.fail("there are five")
        yield* commitAt(
          tenants[0].id,
          past + 100,
          writing((view) => [
            emit(view, "swap.unresolved", third, { a: 1 }),
            emit(view, "withdrawal.failed", first, { a: 2 }),
            emit(view, "swap.settled", third, { a: 3 })
          ])
        )
        const found = yield* queries.eventsOf(tenants[0].id, third)
        assert.deepStrictEqual(
          found.map(({ data, kind }) => [kind, data]),
          [
            ["swap.unresolved", { a: 1 }],
            ["swap.settled", { a: 3 }]
          ]
        )
        assert.deepStrictEqual(yield* queries.eventsOf(tenants[1].id, third), [])
        return undefined
      }),
    timeoutMs
  )

  it.effect(
    "what touched neither the float nor a customer's account is in no register and no total, and operators find it",
    () =>
      Effect.gen(function* () {
        const tenant = yield* newTenant({ createdAt: past })
        const queries = yield* Queries
        const booked = (account: Account, units: bigint) => {
          const operation = bareOperation(
            { tenant, now: past, newId: () => newIdAt(past) },
            { status: "SETTLED", amount: of(units, "ETH"), settledAt: past }
          )
          const leg = { currency: "ETH", units, what: "adjustment" } as const
          return {
            operation,
            changes: [
              putRecord(Operation, operation),
              {
                _tag: "Posted",
                operationId: operation.id,
                legs: [
                  { ...leg, account: "chain:base:payouts", direction: "DEBIT" },
                  { ...leg, account, direction: "CREDIT" }
                ]
              } as const
            ]
          }
        }
        const customers = `account:${newIdAt(past)}` as const
        const all = [booked("suspense", 1n), booked("float:available", 20n), booked(customers, 300n)]
        yield* commitAt(
          tenant.id,
          past + 10,
          writing(
            () => all.flatMap(({ changes }) => changes),
            [
              ...placeReads("chain:base:payouts", "ETH"),
              ...(["suspense", "float:available", customers] as const).map((account) => ({
                _tag: "Balance" as const,
                account,
                currency: "ETH"
              }))
            ]
          )
        )
        const [, float, account] = all.map(({ operation }) => operation.id)
        const register = yield* queries.register(tenant.id, { limit: 10 })
        assert.sameMembers(
          register.map(({ id }) => id),
          [float, account]
        )
        assert.deepStrictEqual(yield* queries.summary(tenant.id, {}), [
          { kind: "ADJUSTMENT", currency: "ETH", status: "SETTLED", count: 2, units: 320n, feeUnits: 0n }
        ])
        assert.lengthOf(yield* queries.operations({ tenantId: tenant.id, order: "newest", limit: 10 }), 3)
      }),
    timeoutMs
  )
}
