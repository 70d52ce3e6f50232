import { PgConnection } from "@effect/sql-pg"
import type { Fence } from "@bursar/core/engine/fenced"
import { Leadership } from "@bursar/core/port/Leadership"
import { Cause, Effect, Layer, Schedule } from "effect"
import { Connection } from "./Connection.ts"
import * as Cell from "./internal/cells.ts"

/** How often a process that does not lead tries to. */
const tryEvery = "500 millis"

/** How often the leader's session shows that it is alive. */
const beatEvery = "1 second"

/**
 * A session that is silent for this long is ended by the server, and its leadership with it; a frozen process wakes up
 * to that.
 */
const silenceMax = "6s"

/**
 * How long a session's answer is waited for. A leader without one takes itself for deposed; who stands by tries on another session, since
 * this one may have lost its way to the server without a sign.
 */
const answerWithin = "5 seconds"

/**
 * Elections by advisory locks. The lock belongs to a session of its own, opened for the election and closed with it, so
 * the death of a process, of its host or of its connection gives the leadership free. Taking the lock raises the
 * epoch in `lease`; writes compare it (`fenced`, WatchState), so that what a deposed leader still sends is refused.
 */
export const layer = Layer.effect(
  Leadership,
  Effect.gen(function* () {
    const { session } = yield* Connection

    /** Waits for the leadership and gives its fence. It is held until the scope closes. */
    const elect = Effect.fnUntraced(function* (name: string) {
      const connection = yield* PgConnection.make({
        ...session,
        startupParameters: { ...session.startupParameters, idle_session_timeout: silenceMax }
      })
      const ask = (sql: string, parameters: ReadonlyArray<unknown> = []) =>
        Effect.timeout(connection.queryValues(sql, parameters), answerWithin)
      const attempt = Effect.map(
        ask("select pg_try_advisory_lock(hashtextextended($1, 0))", [`leader:${name}`]),
        (rows) => rows[0]?.[0] === true
      )
      yield* Effect.repeat(attempt, { until: (taken) => taken, schedule: Schedule.spaced(tryEvery) })
      const [row] = yield* ask(
        `insert into lease (name, epoch) values ($1, 1)
         on conflict (name) do update set epoch = lease.epoch + 1 returning epoch`,
        [name]
      )
      const fence: Fence = { name, epoch: Cell.int(row?.[0]) }
      return { fence, beating: Effect.andThen(Effect.repeat(ask("select 1"), Schedule.spaced(beatEvery)), Effect.void) }
    })

    return Leadership.of({
      lead: (name, work) =>
        Effect.suspend(() => {
          // a database that is away is tried again and again, and told once
          let isTold = false
          const tell = (cause: Cause.Cause<unknown>) => {
            const log = isTold
              ? Effect.logDebug("leadership.ended", cause)
              : Effect.logWarning("leadership.ended", cause)
            isTold = true
            return log
          }
          return Effect.gen(function* () {
            const { beating, fence } = yield* elect(name)
            isTold = false
            yield* Effect.raceFirst(beating, work(fence))
          }).pipe(
            Effect.scoped,
            Effect.catchCause((cause) =>
              Cause.hasInterruptsOnly(cause)
                ? Effect.failCause(cause as Cause.Cause<never>) // interruptions carry no error
                : Effect.annotateLogs(tell(cause), { name })
            ),
            Effect.andThen(Effect.sleep(tryEvery)),
            Effect.forever
          )
        })
    })
  })
)
