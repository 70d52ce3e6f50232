import type { RateDecision, RateWindow } from "@bursar/core/port/RateLimits"
import { RateLimits } from "@bursar/core/port/RateLimits"
import { StorageError } from "@bursar/core/engine/StorageError"
import { Deferred, Effect, Exit, Layer, Schedule } from "effect"
import { Connection } from "./Connection.ts"
import { attempt } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"
import { arrayParameter, int4, text } from "./internal/columnTypes.ts"

/** The most requests that one statement decides on. */
const batchRequestsMax = 500

/** The most requests that may wait for one. */
const queueRequestsMax = 20_000

/** A request that waits for its decision. */
interface Waiting {
  readonly windows: ReadonlyArray<RateWindow>
  readonly second: number
  readonly decided: Deferred.Deferred<RateDecision, StorageError>
}

/** Takes the longest beginning off the queue that one statement can decide on: requests of one second. */
const takeBatch = (queue: Array<Waiting>): ReadonlyArray<Waiting> => {
  const other = queue.findIndex(({ second }) => second !== queue[0]?.second)
  return queue.splice(0, Math.min(other === -1 ? queue.length : other, batchRequestsMax))
}

const decisionOf = (row: Row): RateDecision =>
  Cell.flag(row.allowed)
    ? { _tag: "Allowed", remaining: Cell.int(row.remaining), resetSeconds: Cell.int(row.reset_seconds) }
    : { _tag: "Denied", limit: Cell.int(row.denied_limit), retryAfterSeconds: Cell.int(row.reset_seconds) }

/**
 * Sliding windows that hold over all processes. Requests that arrive while a statement is on its way wait and are decided on
 * together by the next one, in the order in which they came: a hot window costs one row written per round trip, not per
 * request.
 */
export const layer = Layer.effect(
  RateLimits,
  Effect.gen(function* () {
    const { sql } = yield* Connection
    const scope = yield* Effect.scope
    const queue: Array<Waiting> = []
    let draining = false

    // a subject that is not heard of any more takes no room; rows that are in use are left alone
    const pruning = sql`delete from rate_window where subject in (
        select subject from rate_window where last_second < (select max(last_second) from rate_window) - 3600
        for update skip locked)`.pipe(
      Effect.catchCause((cause) => Effect.logWarning("rate_limits.not_pruned", cause)),
      Effect.repeat(Schedule.spaced("10 minutes"))
    )
    // begun by the first request: a process that limits nobody may not write here
    let begun = false
    const beginPruning = Effect.suspend(() => {
      if (begun) return Effect.void
      begun = true
      return Effect.asVoid(Effect.forkIn(pruning, scope))
    })

    const decide = Effect.fnUntraced(function* (batch: ReadonlyArray<Waiting>, second: number) {
      const asked = batch.flatMap(({ windows }, number) => windows.map((window) => ({ number, ...window })))
      const rows = yield* sql<Row>`select * from take_rates(
        ${arrayParameter(
          int4,
          asked.map(({ number }) => number)
        )},
        ${arrayParameter(
          text,
          asked.map(({ subject }) => subject)
        )},
        ${arrayParameter(
          int4,
          asked.map(({ limit }) => limit)
        )},
        ${second}::int8)`
      const decisions = new Map(rows.map((row) => [Cell.int(row.request), decisionOf(row)]))
      batch.forEach(({ decided }, number) => {
        const decision = decisions.get(number)
        const missing = new Error("a request without windows cannot be decided on")
        Deferred.doneUnsafe(decided, decision === undefined ? Exit.die(missing) : Exit.succeed(decision))
      })
    })

    const drain = Effect.gen(function* () {
      while (queue.length > 0) {
        const batch = takeBatch(queue)
        const exit = yield* decide(batch, batch[0]?.second ?? 0).pipe(
          attempt("take requests from their limits"),
          Effect.exit
        )
        if (Exit.isFailure(exit))
          for (const { decided } of batch) Deferred.doneUnsafe(decided, Exit.failCause(exit.cause))
      }
      draining = false
    }).pipe(Effect.uninterruptible)

    const enqueue = (waiting: Waiting): Effect.Effect<void, StorageError> =>
      Effect.suspend(() => {
        if (queue.length >= queueRequestsMax) {
          return Effect.fail(
            new StorageError({
              doing: "take a request from its limits",
              cause: new Error("too many requests wait for it")
            })
          )
        }
        queue.push(waiting)
        if (draining) return Effect.void
        draining = true
        return Effect.asVoid(Effect.forkIn(drain, scope))
      })

    return RateLimits.of({
      take: (windows, now) =>
        Effect.uninterruptibleMask((restore) => {
          const decided = Deferred.makeUnsafe<RateDecision, StorageError>()
          const waiting = { windows, second: Math.floor(now / 1000), decided }
          return Effect.andThen(Effect.andThen(beginPruning, enqueue(waiting)), restore(Deferred.await(decided)))
        })
    })
  })
)
