import { isUuid } from "@bursar/core/base/uuid"
import type { Command } from "@bursar/core/engine/Command"
import { ofKnownKinds } from "@bursar/core/engine/knownKinds"
import { collectReads } from "@bursar/core/engine/Read"
import type { Refusal } from "@bursar/core/base/Refusal"
import { runBatch, type CommitContext } from "@bursar/core/engine/runBatch"
import type { WriteSet } from "@bursar/core/engine/WriteSet"
import { alarmShortfalls } from "@bursar/core/ledger/alarmShortfalls"
import { Storage } from "@bursar/core/engine/Storage"
import { StorageError, TenantUnknown } from "@bursar/core/engine/StorageError"
import { facts, newest } from "@bursar/core/records"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, type Exit, Layer, Schedule } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { Connection } from "../Connection.ts"
import { attempt } from "../internal/attempt.ts"
import * as Cell from "../internal/cells.ts"
import { parameter, uuid } from "../internal/columnTypes.ts"
import { commitWaitMaxMs } from "../internal/clockOffset.ts"
import { isMapped } from "../internal/MappedRecord.ts"
import { refusesData } from "../internal/refusesData.ts"
import { selectList } from "../internal/Table.ts"
import { transaction } from "../internal/Transaction.ts"
import { newestStep, requireStep, type SchemaDiffers } from "../schemaVersion.ts"
import { headColumns, readHead, tenantTable } from "../table/tenantTable.ts"
import { load } from "./load.ts"
import { pruning, wasCommitted } from "./receipts.ts"
import { type Taken, write } from "./write.ts"

// the step is read, and its table locked, first: a migration waits for this commit, or this for the migration, and then sees the step that it added
const lockHead = `select version.step from (${newestStep}) version, tenant_head h where h.tenant_id = $1 for update of h`

// a statement of its own: one that waits for a lock sees what it does not lock as it was before the wait, and its clock too
const selectHead = `select ${selectList(tenantTable, "t")}, ${headColumns}, clock_timestamp() as database_now
  from tenant_head h join tenant t on t.tenant_id = h.tenant_id where h.tenant_id = $1`

/** Losing a race is tried again this often, waiting a little longer each time. */
const retriesMax = 10

type Replies = ReadonlyArray<Exit.Exit<unknown, Refusal | StorageError>>

type CommitError = SchemaDiffers | SqlError | StorageError | Taken | TenantUnknown

// a server that is shut down says so before it closes the session, which the driver does not take for a lost connection
const outcomeUnknown = (error: CommitError): error is SqlError =>
  error._tag === "SqlError" &&
  (error.reason._tag === "ConnectionError" || error.reason._tag === "UnknownError") &&
  !refusesData(error)

const wasThere = (error: CommitError): boolean => error._tag === "SqlError" && error.reason._tag === "UniqueViolation"

const lostRace = (error: CommitError): boolean =>
  error._tag === "Taken" ||
  (error._tag === "SqlError" && (error.reason._tag === "SerializationError" || error.reason._tag === "DeadlockError"))

/**
 * The writer's storage: one transaction per batch under the lock of the tenant's head. On a schema of another version nothing is written: a
 * database may be migrated under processes that run.
 */
export const layer = Layer.effect(
  Storage,
  Effect.gen(function* () {
    const { commits, mapping, refuseOffset, sql } = yield* Connection
    const known = {
      isRecord: isMapped(mapping),
      others: new Set([...Object.values(newest), ...Object.values(facts)])
    }

    // begun by the first commit: a process that only reads may not write here
    const scope = yield* Effect.scope
    let begun = false
    const beginPruning = Effect.suspend(() => {
      if (begun) return Effect.void
      begun = true
      return Effect.asVoid(Effect.forkIn(pruning(sql), scope))
    })

    const commitOnce = Effect.fnUntraced(function* (
      tenantId: TenantId,
      commands: ReadonlyArray<Command<unknown>>,
      context: CommitContext,
      trusting: boolean
    ) {
      const reads = collectReads(commands.map((command) => command.reads))
      let sure: Effect.Effect<boolean, StorageError> = Effect.succeed(false)
      let replies: Replies = []
      let legs: WriteSet["legs"] = []
      yield* transaction(commits, (open) =>
        Effect.gen(function* () {
          // all of this is one round trip: the reads run after the lock was granted, each seeing what is committed by
          // then
          const locking = yield* open.send(lockHead, [parameter(uuid, tenantId)])
          const reading = yield* open.send(selectHead, [parameter(uuid, tenantId)])
          const loading = yield* load(open, mapping, tenantId, reads)
          yield* open.begun
          const [locked] = (yield* locking).rows
          const [row] = (yield* reading).rows
          // one that was created between the two is not locked
          if (locked === undefined || row === undefined) return yield* new TenantUnknown({ tenantId })
          yield* requireStep(Cell.intOrNull(locked["step"]))
          // under the lock: a tenant's time never goes back, so one clock that is ahead would hold it ahead for all
          const lockedAt = Cell.at(row["database_now"])
          yield* refuseOffset("commit", context.now, lockedAt, commitWaitMaxMs)
          const head = readHead(row)
          const loaded = { head, ...(yield* loading) }
          const outcome = runBatch(commands, reads, loaded, context)
          replies = outcome.replies
          legs = outcome.writes.legs
          if (outcome.writes.head === head) return
          const batchId = crypto.randomUUID()
          sure = wasCommitted(sql, tenantId, { batchId, lockedAt })
          yield* write(open, loaded, outcome.writes, { batchId, mapping, trusting })
        })
      ).pipe(
        Effect.catchIf(outcomeUnknown, (error) =>
          Effect.filterOrFail(
            sure,
            (done) => done,
            () => error
          )
        )
      )
      yield* alarmShortfalls(tenantId, legs)
      return replies
    })

    /**
     * Tries a batch again for as long as it lost a race; once more, with less trust, where it put what was there
     * unread.
     */
    const commit = (tenantId: TenantId, commands: ReadonlyArray<Command<unknown>>, context: CommitContext) =>
      Effect.suspend(() => {
        let trusting = true
        return Effect.suspend(() => commitOnce(tenantId, commands, context, trusting)).pipe(
          Effect.retry({
            while: (error) => {
              if (!trusting || !wasThere(error)) return lostRace(error)
              trusting = false
              return true
            },
            times: retriesMax,
            schedule: Schedule.exponential("2 millis", 1.5).pipe(Schedule.jittered)
          }),
          // nothing is written, and one of them is at fault: the others go on without it
          Effect.mapError((error) =>
            wasThere(error) && commands.length > 1
              ? new StorageError({ doing: "commit", cause: error, unstorable: true })
              : error
          )
        )
      })

    return Storage.of({
      commit: (tenantId, given, context) =>
        !isUuid(tenantId)
          ? Effect.fail(new TenantUnknown({ tenantId }))
          : Effect.andThen(beginPruning, commit(tenantId, ofKnownKinds(given, known), context)).pipe(
              Effect.catchTags({
                SchemaDiffers: (cause) => Effect.fail(new StorageError({ doing: "commit", cause })),
                Taken: (cause) => Effect.fail(new StorageError({ doing: "commit", cause })),
                SqlError: (cause) =>
                  Effect.fail(
                    refusesData(cause) ? new StorageError({ doing: "commit", cause, unstorable: true }) : cause
                  )
              }),
              attempt("commit")
            )
    })
  })
)
