import { schedule, unschedule } from "@bursar/core/engine/Job"
import { endLook } from "@bursar/core/engine/look"
import { putRecord, readRecord } from "@bursar/core/engine/Records"
import { Usage } from "@bursar/core/limit/Usage"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { looking, writing } from "../../fixtures/commands.ts"
import { alikeTexts } from "../../fixtures/records.ts"
import { commitAt, newTenant, past } from "../../fixtures/tenants.ts"
import type { StorageIt } from "./services.ts"

const usage = (scope: string, cents: bigint): Usage => ({ scope, buckets: [{ from: past, cents }] })

/** Records that are read and put by their key, and what is in the queue of processes. */
export const jobTests = (it: StorageIt, timeoutMs: number): void => {
  it.effect(
    "a record round-trips, is replaced by its key, and is its tenant's own",
    () =>
      Effect.gen(function* () {
        const queries = yield* Queries
        const [tenant, other] = [yield* newTenant(), yield* newTenant()]
        const huge = 10n ** 30n
        yield* commitAt(
          tenant.id,
          past,
          writing(() => [putRecord(Usage, usage("one", huge))])
        )
        yield* commitAt(
          tenant.id,
          past,
          writing(() => [putRecord(Usage, usage("two", 2n))])
        )
        assert.deepStrictEqual(yield* queries.record(tenant.id, Usage, "one"), usage("one", huge))
        yield* commitAt(
          tenant.id,
          past,
          writing(() => [putRecord(Usage, usage("one", 3n))])
        )
        assert.deepStrictEqual(yield* queries.records(tenant.id, Usage), [usage("one", 3n), usage("two", 2n)])
        assert.isUndefined(yield* queries.record(other.id, Usage, "one"))
        assert.deepStrictEqual(yield* queries.records(other.id, Usage), [])
      }),
    timeoutMs
  )

  it.effect(
    "records and jobs whose keys differ in case, a blank or the writing of a letter alone are others",
    () =>
      Effect.gen(function* () {
        const queries = yield* Queries
        const tenant = yield* newTenant()
        const queue = `topic-${tenant.id}`
        const keys = alikeTexts("key-")
        const seen = looking(
          keys.map((key) => readRecord(Usage, key)),
          (view) => keys.filter((key) => view.get(Usage, key) !== undefined)
        )
        for (const [index, key] of keys.entries()) {
          assert.deepStrictEqual(yield* commitAt(tenant.id, past, seen), [keys.slice(0, index)])
          yield* commitAt(
            tenant.id,
            past,
            writing(() => [putRecord(Usage, usage(key, BigInt(index))), schedule(queue, key, past + index)])
          )
        }
        for (const [index, key] of keys.entries())
          assert.deepStrictEqual(yield* queries.record(tenant.id, Usage, key), usage(key, BigInt(index)))
        assert.lengthOf(yield* queries.records(tenant.id, Usage), keys.length)
        const due = yield* (yield* JobQueue).due(queue, past + 99, 99)
        assert.deepStrictEqual(
          due.map(({ key }) => key),
          keys
        )
      }),
    timeoutMs
  )

  it.effect(
    "a command sees the record that an earlier one of its batch has put, and only what it declared",
    () =>
      Effect.gen(function* () {
        const tenant = yield* newTenant()
        const check = looking([readRecord(Usage, "one")], (view) => view.get(Usage, "one")?.buckets[0]?.cents)
        const put = writing(() => [putRecord(Usage, usage("one", 5n))])
        const [before, , after] = yield* commitAt(tenant.id, past, check, put, check)
        assert.deepStrictEqual([before, after], [undefined, 5n])
        const [stored] = yield* commitAt(tenant.id, past, check)
        assert.strictEqual(stored, 5n)
        const undeclared = yield* Effect.exit(
          commitAt(
            tenant.id,
            past,
            looking([], (view) => view.get(Usage, "one"))
          )
        )
        assert.strictEqual(undeclared._tag, "Failure")
      }),
    timeoutMs
  )

  it.effect(
    "what is scheduled becomes due at its moment, can be moved, and is gone when it is taken off",
    () =>
      Effect.gen(function* () {
        const jobQueue = yield* JobQueue
        const [tenant, other] = [yield* newTenant(), yield* newTenant()]
        const queue = `topic-${tenant.id}`
        const due = (at: number, limit = 10) =>
          Effect.map(jobQueue.due(queue, at, limit), (items) => items.map(({ key }) => key))
        yield* commitAt(
          tenant.id,
          past,
          writing(() => [schedule(queue, "late", past + 200), schedule(queue, "soon", past + 100)])
        )
        yield* commitAt(
          other.id,
          past,
          writing(() => [schedule(queue, "others", past + 150)])
        )
        assert.deepStrictEqual(yield* due(past + 99), [])
        assert.deepStrictEqual(yield* due(past + 200), ["soon", "others", "late"])
        assert.deepStrictEqual(yield* due(past + 200, 1), ["soon"])
        yield* commitAt(
          tenant.id,
          past,
          writing(() => [schedule(queue, "soon", past + 300), schedule(queue, "late", past + 1)])
        )
        assert.deepStrictEqual(yield* due(past + 250), ["late", "others"])
        yield* commitAt(
          tenant.id,
          past,
          writing(() => [unschedule(queue, "late"), unschedule(queue, "never")])
        )
        assert.deepStrictEqual(yield* due(past + 999), ["others", "soon"])
        assert.deepStrictEqual(
          (yield* jobQueue.due(queue, past + 999, 9)).map((item) => item.tenantId),
          [other.id, tenant.id]
        )
      }),
    timeoutMs
  )

  it.effect(
    "where more are due than are asked for, the tenants take turns",
    () =>
      Effect.gen(function* () {
        const jobQueue = yield* JobQueue
        const [tenant, other] = [yield* newTenant(), yield* newTenant()]
        const queue = `topic-${tenant.id}`
        const due = (limit: number) =>
          Effect.map(jobQueue.due(queue, past + 99, limit), (items) => items.map(({ key }) => key))
        yield* commitAt(
          tenant.id,
          past,
          writing(() => [1, 2, 3, 4].map((n) => schedule(queue, `many ${n}`, past + n)))
        )
        yield* commitAt(
          other.id,
          past,
          writing(() => [7, 8].map((n) => schedule(queue, `few ${n}`, past + n)))
        )
        assert.deepStrictEqual(yield* due(2), ["many 1", "few 7"])
        assert.deepStrictEqual(yield* due(5), ["many 1", "few 7", "many 2", "few 8", "many 3"])
        assert.deepStrictEqual(yield* due(7), ["many 1", "many 2", "many 3", "many 4", "few 7", "few 8"])
        const dueOf = (tenantId: TenantId, at: number, limit: number) =>
          Effect.map(jobQueue.dueOf(tenantId, queue, at, limit), (items) =>
            items.map(({ key, ...item }) => [key, item.tenantId, item.queue, item.dueAt - past] as const)
          )
        assert.deepStrictEqual(
          yield* dueOf(other.id, past + 99, 2),
          [7, 8].map((n) => [`few ${n}`, other.id, queue, n] as const),
          "all of one tenant, whoever else has some"
        )
        const keys = Effect.map(dueOf(tenant.id, past + 3, 2), (items) => items.map(([key]) => key))
        assert.deepStrictEqual(yield* keys, ["many 1", "many 2"], "the longest due, no more than asked for")
        assert.lengthOf(yield* dueOf(tenant.id, past + 3, 9), 3, "none before its time")
        assert.deepStrictEqual(yield* jobQueue.dueOf(tenant.id, "elsewhere", past + 99, 9), [])
      }),
    timeoutMs
  )

  it.effect(
    "a hint makes due what its provider's id begins, of every tenant, and nothing else",
    () =>
      Effect.gen(function* () {
        const jobQueue = yield* JobQueue
        const [tenant, other] = [yield* newTenant(), yield* newTenant()]
        const queue = `topic-${tenant.id}`
        const keys = ["Acc 1|a", "Acc 1|b", "Acc 1", "Acc 12|c", "acc 1|d", "Acc 1}", "Acc 1{e", "x|Acc 1"]
        const due = Effect.map(jobQueue.due(queue, past + 50, 20), (items) => items.map(({ key }) => key).toSorted())
        for (const one of [tenant, other])
          yield* commitAt(
            one.id,
            past,
            writing(() => [
              ...keys.map((key) => schedule(queue, key, past + 100)),
              schedule("elsewhere", "Acc 1", past + 100)
            ])
          )
        assert.deepStrictEqual(yield* due, [])
        yield* jobQueue.expedite(queue, "Acc 1", past + 50)
        assert.deepStrictEqual(yield* due, ["Acc 1", "Acc 1", "Acc 1|a", "Acc 1|a", "Acc 1|b", "Acc 1|b"])
        const elsewhere = yield* jobQueue.due("elsewhere", past + 50, 20)
        assert.isFalse(elsewhere.some(({ tenantId }) => tenantId === tenant.id))
        yield* jobQueue.expedite(queue, "nothing", past + 50)
        yield* jobQueue.expedite(queue, "Acc 1", past + 60)
        assert.lengthOf(yield* due, 6, "what is due already is not put off")
      }),
    timeoutMs
  )

  it.effect(
    "a job that a hint made due since a look at it began stays due when the look ends; any other moves on",
    () =>
      Effect.gen(function* () {
        const jobQueue = yield* JobQueue
        const tenant = yield* newTenant()
        const queue = `topic-${tenant.id}`
        const keys = ["hinted", "late|hinted", "quiet", "gone"]
        const jobs = Effect.map(jobQueue.due(queue, past + 9_999, 20), (items) =>
          Object.fromEntries(items.map(({ dueAt, key }) => [key, dueAt - past]))
        )
        // a look begins, and puts each off
        yield* commitAt(
          tenant.id,
          past,
          writing(() => keys.map((key) => schedule(queue, key, past + 100)))
        )
        yield* jobQueue.expedite(queue, "hinted", past + 30)
        yield* jobQueue.expedite(queue, "late", past + 150)
        yield* commitAt(
          tenant.id,
          past,
          writing(() => [unschedule(queue, "gone")])
        )
        assert.deepStrictEqual(yield* jobs, { hinted: 30, "late|hinted": 99, quiet: 100 })
        for (const key of keys)
          yield* commitAt(
            tenant.id,
            past,
            endLook(
              { job: { queue, key }, putOffTo: past + 100 },
              writing(() => [schedule(queue, key, past + 5_000)])
            )
          )
        assert.deepStrictEqual(yield* jobs, { hinted: 30, "late|hinted": 99, quiet: 5_000, gone: 5_000 })
      }),
    timeoutMs
  )
}
