import { Queries } from "@bursar/core/store/Queries"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { emitting, writing } from "../../fixtures/commands.ts"
import { bareAddress, bareDeposit, newIdAt } from "../../fixtures/records.ts"
import { commitAt, newTenant, past } from "../../fixtures/tenants.ts"
import type { QueriesIt } from "./ports.ts"
import { putRecord } from "@bursar/core/engine/Records"
import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { Deposit } from "@bursar/core/deposit/Deposit"

/** The lists that partners page through: addresses, deposits, events. */
export const feedTests = (it: QueriesIt, timeoutMs: number): void => {
  it.effect(
    "events are paged by id",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant({ createdAt: past })
        const { id: other } = yield* newTenant({ createdAt: past })
        yield* commitAt(id, past, ...Array.from({ length: 5 }, (_, index) => emitting({ index })))
        yield* commitAt(other, past, emitting())
        const queries = yield* Queries
        const ids = (after: number, limit: number) =>
          Effect.map(queries.events(id, after, limit), (events) => events.map((event) => event.id))
        assert.deepStrictEqual(yield* ids(0, 2), [1, 2])
        assert.deepStrictEqual(yield* ids(2, 100), [3, 4, 5])
        assert.deepStrictEqual(yield* ids(5, 100), [])
      }),
    timeoutMs
  )

  it.effect(
    "addresses are listed oldest first, by network, reference, address and life, page by page",
    () =>
      Effect.gen(function* () {
        const tenant = yield* newTenant({ createdAt: past })
        const { id: other } = yield* newTenant({ createdAt: past })
        const queries = yield* Queries
        const view = { tenant, now: past, newId: () => newIdAt(past) }
        // ids rise against age, so that an order by id alone is found out; two share a moment
        const ids = Array.from({ length: 4 }, () => crypto.randomUUID()).toSorted()
        const records = [
          bareAddress(view, { id: ids[3] ?? "", createdAt: past, reference: "r-1" }),
          bareAddress(view, { id: ids[1] ?? "", createdAt: past + 1, reference: "r-2", retiredAt: past + 5 }),
          bareAddress(view, { id: ids[2] ?? "", createdAt: past + 1, reference: "r-1", network: "tron" }),
          bareAddress(view, { id: ids[0] ?? "", createdAt: past + 2, reference: "r-1" })
        ]
        yield* commitAt(
          tenant.id,
          past + 2,
          writing(() => records.toReversed().map((address) => putRecord(DepositAddress, address)))
        )
        const list = (query: Omit<Parameters<typeof queries.addresses>[1], "limit">, limit = 100, owner = tenant.id) =>
          Effect.map(queries.addresses(owner, { ...query, limit }), (found) =>
            found.map((one) => records.indexOf(records.find(({ id }) => id === one.id) ?? one))
          )
        assert.deepStrictEqual(yield* list({ includeRetired: true }), [0, 1, 2, 3])
        assert.deepStrictEqual(yield* list({ includeRetired: false }), [0, 2, 3])
        assert.deepStrictEqual(yield* list({ includeRetired: true, network: "tron" }), [2])
        assert.deepStrictEqual(yield* list({ includeRetired: true, reference: "r-1" }), [0, 2, 3])
        assert.deepStrictEqual(yield* list({ includeRetired: true, reference: "r" }), [])
        assert.deepStrictEqual(yield* list({ includeRetired: true, address: records[1]?.address ?? "" }), [1])
        assert.deepStrictEqual(yield* list({ includeRetired: true, reference: "r-1", network: "ethereum" }, 1), [0])
        assert.deepStrictEqual(yield* list({ includeRetired: true }, 2), [0, 1])
        assert.deepStrictEqual(yield* list({ includeRetired: true, after: ids[1] }, 2), [2, 3])
        assert.deepStrictEqual(yield* list({ includeRetired: false, after: ids[1] }), [2, 3])
        assert.deepStrictEqual(yield* list({ includeRetired: true, after: ids[0] }), [])
        assert.deepStrictEqual(yield* list({ includeRetired: true, after: crypto.randomUUID() }), [])
        assert.strictEqual((yield* queries.address(tenant.id, ids[0] ?? ""))?.id, ids[0])
        assert.isUndefined(yield* queries.address(other, ids[0] ?? ""))
        assert.isUndefined(yield* queries.address(tenant.id, crypto.randomUUID()))
        assert.deepStrictEqual(yield* list({ includeRetired: true }, 100, other), [])
        assert.deepStrictEqual(yield* list({ includeRetired: true, after: ids[1] }, 100, other), [])
      }),
    timeoutMs
  )

  it.effect(
    "deposits are listed by their last change, by reference, page by page",
    () =>
      Effect.gen(function* () {
        const tenant = yield* newTenant({ createdAt: past })
        const queries = yield* Queries
        const view = { tenant, now: past, newId: () => newIdAt(past) }
        const one = bareAddress(view, { reference: "r-1" })
        const two = bareAddress(view, { reference: "r-2" })
        yield* commitAt(
          tenant.id,
          past,
          writing(() => [one, two].map((address) => putRecord(DepositAddress, address)))
        )
        yield* commitAt(
          tenant.id,
          past,
          writing((view) =>
            [one, two, one].map((address, transferIndex) =>
              putRecord(Deposit, bareDeposit(view, address, { transferIndex }))
            )
          )
        )
        const [, moved] = yield* queries.deposits(tenant.id, { after: 0, limit: 10 })
        if (moved === undefined) return assert.fail("no deposits")
        yield* commitAt(
          tenant.id,
          past,
          writing((view) => [putRecord(Deposit, { ...moved, status: "CONFIRMED", changeSeq: view.nextChangeSeq() })])
        )
        const list = (query: Parameters<typeof queries.deposits>[1]) =>
          Effect.map(queries.deposits(tenant.id, query), (found) =>
            found.map(({ changeSeq, transferIndex }) => [transferIndex, changeSeq])
          )
        assert.deepStrictEqual(yield* list({ after: 0, limit: 10 }), [
          [0, 1],
          [2, 3],
          [1, 4]
        ])
        assert.deepStrictEqual(yield* list({ after: 1, limit: 1 }), [[2, 3]])
        assert.deepStrictEqual(yield* list({ after: 4, limit: 10 }), [])
        assert.deepStrictEqual(yield* list({ after: 0, limit: 10, reference: "r-1" }), [
          [0, 1],
          [2, 3]
        ])
        assert.deepStrictEqual(yield* list({ after: 1, limit: 1, reference: "r-2" }), [[1, 4]])
        return undefined
      }),
    timeoutMs
  )
}
