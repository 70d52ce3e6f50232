import type { RateDecision, RateWindow } from "@bursar/core/port/RateLimits"
import { RateLimits } from "@bursar/core/port/RateLimits"
import { StorageError } from "@bursar/core/engine/StorageError"
import { Clock, Deferred, Effect, Exit, Layer, Schedule } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { Connection } from "./Connection.ts"
import { attemptChange } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"
import { arrayParameter, type ColumnType, int4, int8, text } from "./internal/columnTypes.ts"
import { type Answered, answeredOf, type Asked, decisionBefore } from "./internal/rateAnswers.ts"
import { makeRateTickets, type Tickets, windowsKey } from "./internal/RateTickets.ts"

/** The most requests that one statement decides on. */
const batchRequestsMax = 500

/** The most requests that may wait for one. */
const queueRequestsMax = 20_000

/** A request that waits for its decision. */
interface Waiting {
  readonly windows: ReadonlyArray<RateWindow>
  readonly second: number
  /** The clock by which it came. */
  readonly clock: Clock.Clock
  readonly decided: Deferred.Deferred<RateDecision, StorageError>
}

/** Takes the longest beginning off the queue that one statement can decide on: requests of one second. */
const takeBatch = (queue: Array<Waiting>): ReadonlyArray<Waiting> => {
  const other = queue.findIndex(({ second }) => second !== queue[0]?.second)
  return queue.splice(0, Math.min(other === -1 ? queue.length : other, batchRequestsMax))
}

/** Puts requests of the same windows together that follow each other. */
const runsOf = (batch: ReadonlyArray<Waiting>): ReadonlyArray<ReadonlyArray<Waiting>> => {
  const runs: Array<Array<Waiting>> = []
  let last = ""
  for (const waiting of batch) {
    const key = windowsKey(waiting.windows)
    if (runs.length > 0 && key === last) runs.at(-1)?.push(waiting)
    else runs.push([waiting])
    last = key
  }
  return runs
}

const asked = (run: ReadonlyArray<Waiting>): Asked => ({ windows: run[0]?.windows ?? [], count: run.length })

/** One of the columns of rows, as an array. */
const column = <T>(type: ColumnType, rows: ReadonlyArray<T>, cell: (row: T) => unknown) =>
  arrayParameter(type, rows.map(cell))

/** How long a process keeps what it has taken ahead at most. */
const keptFor = "1 second"

/**
 * Sliding windows that hold over all processes. Requests that arrive while a statement is on its way wait and are decided on
 * together by the next one, in the order in which they came: a hot window costs one row written per round trip, not per
 * request. With them a process takes requests ahead, of windows that have much left: whoever comes within the same second finds them decided on
 * already. What has not been used by then is given back.
 *
 * The windows count by the clock of the database (`lease_rates`): a process whose clock is wrong neither empties nor blocks those of the others.
 */
export const layer = Layer.effect(
  RateLimits,
  Effect.gen(function* () {
    const { sql } = yield* Connection
    const scope = yield* Effect.scope
    const queue: Array<Waiting> = []
    const tickets = makeRateTickets()
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

    /** What is lost on the way back stays counted: never more than the limit passes. */
    const giveBack = (unused: ReadonlyArray<Tickets>) => {
      const given = unused.flatMap(({ count, counted }) => counted.map((one) => ({ ...one, count })))
      if (given.length === 0) return Effect.void
      return sql`select give_rates(
        ${column(text, given, ({ subject }) => subject)},
        ${column(int8, given, ({ second }) => BigInt(second))},
        ${column(int4, given, ({ count }) => count)})`.pipe(
        Effect.catchCause((cause) => Effect.logWarning("rate_limits.not_given_back", cause))
      )
    }

    // one at a time: it goes on for as long as there is anything to give back
    let returning = false
    const returnLater = Effect.gen(function* () {
      while (tickets.held() > 0) {
        yield* Effect.sleep(keptFor)
        yield* giveBack(tickets.takeUnused(Math.floor((yield* Clock.currentTimeMillis) / 1_000)))
      }
      returning = false
    })
    const beginReturning = Effect.suspend(() => {
      if (returning || tickets.held() === 0) return Effect.void
      returning = true
      return Effect.asVoid(Effect.forkIn(returnLater, scope))
    })
    yield* Effect.addFinalizer(() =>
      Effect.timeoutOption(
        Effect.suspend(() => giveBack(tickets.takeUnused())),
        keptFor
      )
    )

    /** What the windows say of some requests, in their order. */
    const ask = Effect.fnUntraced(function* (
      requests: ReadonlyArray<Asked>,
      { clock, second }: Waiting
    ): Effect.fn.Return<ReadonlyArray<Answered | undefined>, SqlError> {
      const all = requests.flatMap(({ count, windows }, number) =>
        windows.map((window) => ({ number, count, ...window }))
      )
      const rows = yield* sql<Row>`select * from lease_rates(
        ${column(int4, all, ({ number }) => number)},
        ${column(text, all, ({ subject }) => subject)},
        ${column(int4, all, ({ limit }) => limit)},
        ${column(int4, all, ({ count }) => count)},
        ${second}::int8, ${clock.currentTimeMillisUnsafe()}::int8)`
      const byNumber = new Map(rows.map((row) => [Cell.int(row["request"]), answeredOf(row)]))
      return requests.map(({ windows }, number) => {
        const answered = byNumber.get(number)
        if (answered !== undefined) tickets.note(windows, answered.decision)
        return answered
      })
    })

    const tell = ({ decided }: Waiting, decision: RateDecision | undefined): void => {
      const missing = new Error("a request without windows cannot be decided on")
      Deferred.doneUnsafe(decided, decision === undefined ? Exit.die(missing) : Exit.succeed(decision))
    }

    const decide = Effect.fnUntraced(function* (batch: ReadonlyArray<Waiting>, first: Waiting) {
      const { second } = first
      yield* giveBack(tickets.takeUnused(second))
      const runs = runsOf(batch)
      const came = Map.groupBy(batch, ({ windows }) => windowsKey(windows))
      const ahead = Array.from(came.values(), (same) => {
        const { count, windows } = asked(same)
        return { windows, count: tickets.ahead(windows, count, second) }
      }).filter(({ count }) => count > 0)
      const answers = yield* ask([...runs.map(asked), ...ahead], first)
      ahead.forEach(({ windows }, number) => {
        const { counted, decision, granted } = answers[runs.length + number] ?? {}
        if (granted === undefined || counted === undefined || decision?._tag !== "Allowed") return
        const { remaining, resetSeconds } = decision
        tickets.keep(windows, second, { count: granted, remaining, resetSeconds, counted })
      })
      const refused = runs.flatMap((run, number) => {
        const answered = answers[number]
        const { granted } = answered ?? { granted: run.length }
        run.slice(0, granted).forEach((waiting, at) => {
          tell(waiting, answered && decisionBefore(answered, granted - at - 1))
        })
        return run
          .slice(granted)
          .map((waiting) => ({ waiting, decision: granted === 0 ? answered?.decision : undefined }))
      })
      // nobody is refused for what nobody has used: what is held of the same windows goes back first
      const held = tickets.takeHeld(refused.flatMap(({ waiting: { windows } }) => windows))
      yield* giveBack(held)
      // of a run of which only some were granted, nothing is known yet of the others
      const askAgain = refused.filter(({ decision }) => held.length > 0 || decision === undefined)
      for (const one of refused) if (!askAgain.includes(one)) tell(one.waiting, one.decision)
      if (askAgain.length > 0) {
        const again = yield* ask(
          askAgain.map(({ waiting }) => asked([waiting])),
          first
        )
        askAgain.forEach(({ waiting }, number) => tell(waiting, again[number]?.decision))
      }
      yield* beginReturning
    })

    const drain = Effect.gen(function* () {
      for (let [first] = queue; first !== undefined; [first] = queue) {
        const batch = takeBatch(queue)
        const exit = yield* decide(batch, first).pipe(attemptChange("take requests from their limits"), Effect.exit)
        if (Exit.isFailure(exit))
          for (const { decided } of batch) Deferred.doneUnsafe(decided, Exit.failCause(exit.cause))
      }
      draining = false
    })

    const refused = (why: string) =>
      Effect.fail(new StorageError({ doing: "take a request from its limits", cause: new Error(why) }))

    const enqueue = (waiting: Waiting): Effect.Effect<void, StorageError> =>
      Effect.suspend(() => {
        if (queue.length >= queueRequestsMax) return refused("too many requests wait for it")
        // nothing is begun in a scope that is closed
        if (!draining && scope.state._tag === "Closed") return refused("the limits are closed")
        queue.push(waiting)
        if (draining) return Effect.void
        draining = true
        // from the start, as the scope may be closed before it has begun
        return Effect.asVoid(Effect.forkIn(drain, scope, { uninterruptible: true }))
      })

    return RateLimits.of({
      take: (windows, now) => {
        const second = Math.floor(now / 1_000)
        // a request for which there is a ticket waits for nothing, and needs no fiber to come back to it
        const ready = tickets.use(windows, second)
        if (ready !== undefined) return Effect.succeed(ready)
        return Effect.uninterruptibleMask((restore) =>
          Effect.clockWith((clock) => {
            const decided = Deferred.makeUnsafe<RateDecision, StorageError>()
            const waiting = { windows, second, clock, decided }
            return Effect.andThen(Effect.andThen(beginPruning, enqueue(waiting)), restore(Deferred.await(decided)))
          })
        )
      }
    })
  })
)
