import type { RecordKind, Records } from "@bursar/core/engine/Records"
import { LedgerSnapshot } from "@bursar/core/port/LedgerSnapshot"
import { StorageError } from "@bursar/core/port/StorageError"
import { Effect, Layer, Stream } from "effect"
import { compareText } from "./byAge.ts"
import { Store } from "./Store.ts"

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
        return yield* use({
          head: tenant.head,
          balances: [...tenant.balances.values()],
          legs: Stream.fromIterable([...tenant.legs]),
          operations: Stream.fromIterable(
            [...tenant.operations.values()].toSorted((left, right) => compareText(left.id, right.id))
          ),
          deposits: Stream.fromIterable(
            [...tenant.deposits.values()].toSorted((left, right) => left.changeSeq - right.changeSeq)
          ),
          events: Stream.fromIterable([...tenant.events]),
          idempotencyRecords: Stream.fromIterable(
            [...tenant.idempotencyRecords.values()].toSorted((left, right) => compareText(left.key, right.key))
          ),
          jobs: Stream.fromIterable(
            [...state.jobs.values()]
              .filter((item) => item.tenantId === tenantId)
              .toSorted((left, right) => compareText(left.queue, right.queue) || compareText(left.key, right.key))
          ),
          // what is kept as it was given can be read
          unreadable: Effect.succeed([]),
          records: <K extends RecordKind>(kind: K) =>
            Stream.fromIterable(
              [...(snapshots.get(kind) ?? new Map<string, Records[K]>())]
                .toSorted(([left], [right]) => compareText(left, right))
                // a map of one kind holds records of that kind alone
                .map(([, record]) => record as Records[K])
            )
        })
      })
    })
  })
)
