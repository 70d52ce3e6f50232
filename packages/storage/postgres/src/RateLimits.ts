import type { RateDecision, RateWindow } from "@bursar/core/port/RateLimits"
import { RateLimits } from "@bursar/core/port/RateLimits"
import { StorageError } from "@bursar/core/engine/StorageError"
import { Clock, Deferred, Effect, Exit, Layer, Schedule } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { Connection } from "./Connection.ts"
import { attempt } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"
import { arrayParameter, int4, int8, text } from "./internal/columnTypes.ts"
import { makeRateTickets, type Ticket, windowsKey } from "./internal/RateTickets.ts"

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

/** In which second each window has counted a request. */
const countedOf = (row: Row | undefined): Ticket["counted"] => {
  const [subjects, seconds] = [row?.["counted_in"], row?.["counted"]]
  if (!Array.isArray(subjects) || !Array.isArray(seconds)) throw new Error("the database does not say what it counted")
  return subjects.map((subject, at) => ({ subject: Cell.text(subject), second: Cell.int(seconds[at]) }))
}

/** What was said of a request. */
interface Answered {
  readonly row: Row
  readonly decision: RateDecision
}

/** How long a process keeps what it has taken ahead at most. */
const keptFor = "1 second"

/**
 * Sliding windows that hold over all processes. Requests that arrive while a statement is on its way wait and are decided on
 * together by the next one, in the order in which they came: a hot window costs one row written per round trip, not per
 * request. With them a process takes requests ahead, of windows that have much left: whoever comes within the same second finds them decided on
 * already. What has not been used by then is given back.
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
    const giveBack = (unused: ReadonlyArray<Ticket>) => {
      const given = unused.flatMap(({ counted }) => counted)
      if (given.length === 0) return Effect.void
      const [names, seconds] = [given.map(({ subject }) => subject), given.map(({ second }) => BigInt(second))]
      return sql`select give_rates(${arrayParameter(text, names)}, ${arrayParameter(int8, seconds)},
        ${arrayParameter(
          int4,
          Array.from(given, () => 1)
        )})`.pipe(Effect.catchCause((cause) => Effect.logWarning("rate_limits.not_given_back", cause)))
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
      requests: ReadonlyArray<Pick<Waiting, "windows">>,
      second: number
    ): Effect.fn.Return<ReadonlyArray<Answered | undefined>, SqlError> {
      const asked = requests.flatMap(({ windows }, number) => windows.map((window) => ({ number, ...window })))
      const rows = yield* sql<Row>`select * from lease_rates(
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
      const byNumber = new Map(rows.map((row) => [Cell.int(row["request"]), { row, decision: decisionOf(row) }]))
      requests.forEach(({ windows }, number) => {
        const answered = byNumber.get(number)
        if (answered !== undefined) tickets.note(windows, answered.decision)
      })
      return requests.map((_, number) => byNumber.get(number))
    })

    const tell = ({ decided }: Waiting, answered: Answered | undefined): void => {
      const missing = new Error("a request without windows cannot be decided on")
      Deferred.doneUnsafe(decided, answered === undefined ? Exit.die(missing) : Exit.succeed(answered.decision))
    }

    const decide = Effect.fnUntraced(function* (batch: ReadonlyArray<Waiting>, second: number) {
      yield* giveBack(tickets.takeUnused(second))
      const came = Map.groupBy(batch, ({ windows }) => windowsKey(windows))
      const ahead = [...came.values()].flatMap((same) => {
        const [{ windows } = { windows: [] }] = same
        return Array.from({ length: tickets.ahead(windows, same.length) }, () => ({ windows }))
      })
      const answers = yield* ask([...batch, ...ahead], second)
      ahead.forEach(({ windows }, number) => {
        const answered = answers[batch.length + number]
        if (answered?.decision._tag === "Allowed")
          tickets.keep(windows, second, { decision: answered.decision, counted: countedOf(answered.row) })
      })
      // nobody is refused for what nobody has used: what is held of the same windows goes back first
      const refused = batch.filter((_, number) => answers[number]?.decision._tag === "Denied")
      const held = tickets.takeHeld(refused.flatMap(({ windows }) => windows))
      const askAgain = held.length > 0 ? refused : []
      batch.forEach((waiting, number) => {
        if (!askAgain.includes(waiting)) tell(waiting, answers[number])
      })
      if (askAgain.length > 0) {
        yield* giveBack(held)
        const again = yield* ask(askAgain, second)
        askAgain.forEach((waiting, number) => tell(waiting, again[number]))
      }
      yield* beginReturning
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
          const second = Math.floor(now / 1_000)
          const ready = tickets.use(windows, second)
          if (ready !== undefined) return Effect.succeed(ready)
          const decided = Deferred.makeUnsafe<RateDecision, StorageError>()
          const waiting = { windows, second, decided }
          return Effect.andThen(Effect.andThen(beginPruning, enqueue(waiting)), restore(Deferred.await(decided)))
        })
    })
  })
)
