import type { RecordDefinition } from "@bursar/core/engine/Records"
import { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"
import { Deposit } from "@bursar/core/deposit/Deposit"
import { Operation } from "@bursar/core/operation/Operation"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { StorageError } from "@bursar/core/engine/StorageError"
import { Effect, Layer, Stream } from "effect"
import { isWithin } from "@bursar/core/checker/subjects"
import { compareText } from "./byAge.ts"
import { filedRows, rowsByKind } from "./filedRows.ts"
import { recordsOf, Store } from "./Store.ts"

/** A tenant's records as they are when the snapshot is taken: records are never changed in place, so copied lists suffice. */
export const layer = Layer.effect(
  LedgerSnapshot,
  Effect.gen(function* () {
    const state = yield* Store
    return LedgerSnapshot.of({
      snapshot: Effect.fnUntraced(function* (tenantId, use) {
        const tenant = state.tenants.get(tenantId)
        if (tenant === undefined) {
          return yield* new StorageError({ doing: "snapshot", cause: new Error(`there is no tenant ${tenantId}`) })
        }
        const snapshots = new Map([...tenant.records].map(([kind, all]) => [kind, new Map(all)]))
        const jobs = [...state.jobs.values()].filter((item) => item.tenantId === tenantId)
        const rows = rowsByKind(tenant, jobs)
        return yield* use({
          head: tenant.head,
          balances: [...tenant.balances.values()],
          legs: Stream.fromIterable([...tenant.legs]),
          operations: Stream.fromIterable(
            [...recordsOf(tenant, Operation).values()].toSorted((left, right) => compareText(left.id, right.id))
          ),
          deposits: Stream.fromIterable(
            [...recordsOf(tenant, Deposit).values()].toSorted((left, right) => left.changeSeq - right.changeSeq)
          ),
          events: Stream.fromIterable([...tenant.events]),
          idempotencyRecords: Stream.fromIterable(
            [...recordsOf(tenant, IdempotencyRecord).values()].toSorted((left, right) =>
              compareText(left.key, right.key)
            )
          ),
          jobs: Stream.fromIterable(
            jobs.toSorted((left, right) => compareText(left.queue, right.queue) || compareText(left.key, right.key))
          ),
          // summaries are made of the operations themselves
          wrongTotal: Effect.succeed(undefined),
          // what is kept as it was given can be read
          unreadable: Effect.succeed([]),
          filed: (range, { readRows, seed }) => [
            Stream.fromIterable(filedRows(rows, range, seed)).pipe(Stream.rechunk(readRows))
          ],
          counts: Effect.succeed({
            ...(Object.fromEntries(Object.entries(rows).map(([kind, all]) => [kind, all.length])) as Record<
              keyof typeof rows,
              number
            >) // all kinds
          }),
          digests: (between, seed) =>
            Effect.sync(() => {
              const all = filedRows(rows, { from: "", to: null }, seed)
              return between.map((from, at) => {
                const here = all.filter(({ subject }) => isWithin({ from, to: between[at + 1] ?? null }, subject))
                return { filed: here.length, digest: here.reduce((sum, { digest }) => sum + (digest ?? 0n), 0n) }
              })
            }),
          records: <A, K>({ name }: RecordDefinition<A, K>) =>
            Stream.fromIterable(
              [...(snapshots.get(name) ?? new Map<string, unknown>())]
                .toSorted(([left], [right]) => compareText(left, right))
                // a map of one kind holds records of that kind alone
                .map(([, record]) => record as A)
            )
        })
      })
    })
  })
)
