import { PgConnection } from "@effect/sql-pg"
import { StorageError } from "@bursar/core/engine/StorageError"
import { type HeldTurn, SignerTurn, SignerTurnTaken } from "@bursar/core/port/SignerTurn"
import { Cause, Deferred, Effect, Layer, Schedule } from "effect"
import { Connection } from "./Connection.ts"

/** How often the lock is tried for. */
const tryEvery = "500 millis"

/** How often the session shows that it is alive. */
const beatEvery = "1 second"

/** A session that is silent for this long is ended by the server, and gives the lock free: of a host that vanished, too. */
const silenceMax = "6s"

/** For how long after a beat was sent the lock is surely held, whatever this process did since: less than `silenceMax`. */
const sureMs = 5_000

/** How long an answer may take before the lock counts as lost, or is tried for on another session. */
const answerWithin = "4 seconds"

/** How long a signer that starts waits for one that is ending, or whose host vanished: longer than it takes to give up a session that fell silent. */
const patience = "15 seconds"

const failed = (why: string) => new StorageError({ doing: "take the turn to sign", cause: new Error(why) })

const silent = failed("the database does not answer")

const onStandby = failed("a standby answered, which gives locks of its own")

/** A standby gives advisory locks of its own: with one of those, a signer would be as alone as the one that has the lock of the primary. */
const tryLock = `select case when pg_is_in_recovery() then null
  else pg_try_advisory_lock(hashtextextended('signer', 0)) end`

/**
 * An advisory lock of the database, held by a session of its own. The signer's role needs no privilege for that. A session that ends gives the
 * lock free; the signer learns it within a second where the server says so, and signs nothing until it holds the lock again.
 */
export const layer = Layer.effect(
  SignerTurn,
  Effect.gen(function* () {
    const { session } = yield* Connection

    /** Takes the lock, tells so, and gives up when the session is lost. */
    const holdOnce = Effect.fnUntraced(function* ({
      alive,
      held,
      refused
    }: {
      readonly alive: (sentAt: number) => void
      readonly held: Effect.Effect<void>
      readonly refused: (by: SignerTurnTaken | StorageError) => void
    }) {
      const connection = yield* PgConnection.make({
        ...session,
        startupParameters: { ...session.startupParameters, idle_session_timeout: silenceMax }
      })
      const answered = <A, E>(question: Effect.Effect<A, E>) =>
        Effect.suspend(() => {
          const sentAt = performance.now()
          return Effect.tap(Effect.timeout(question, answerWithin), () => Effect.sync(() => alive(sentAt)))
        })
      /** The next session may lead to the primary. */
      const notStandby = (isStandby: boolean) =>
        isStandby
          ? Effect.andThen(
              Effect.sync(() => refused(onStandby)),
              Effect.fail(onStandby)
            )
          : Effect.void
      const attempt = answered(connection.queryValues(tryLock)).pipe(
        Effect.map(([row]) => row?.[0]),
        Effect.tap((taken) => notStandby(taken === null)),
        Effect.map((taken) => taken === true),
        Effect.tap((taken) => (taken ? Effect.void : Effect.sync(() => refused(new SignerTurnTaken()))))
      )
      yield* Effect.repeat(attempt, { until: (taken) => taken, schedule: Schedule.spaced(tryEvery) })
      yield* held
      const beat = answered(connection.queryValues("select pg_is_in_recovery()"))
      yield* Effect.repeat(
        Effect.flatMap(beat, ([row]) => notStandby(row?.[0] === true)),
        Schedule.spaced(beatEvery)
      )
    }, Effect.scoped)

    const take = Effect.gen(function* () {
      const first = yield* Deferred.make<void>()
      let state: "waiting" | "held" | "lost" = "waiting"
      let taken = 0
      const held = Effect.suspend(() => {
        const regained = state === "lost"
        state = "held"
        taken += 1
        return Effect.andThen(
          regained ? Effect.logInfo("signer.turn_regained") : Effect.void,
          Deferred.succeed(first, undefined)
        )
      })
      const lost = Effect.suspend(() => {
        if (state !== "held") return Effect.void
        state = "lost"
        return Effect.logError("signer.turn_lost")
      })
      let reason: SignerTurnTaken | StorageError = silent
      const refused = (by: SignerTurnTaken | StorageError) => {
        reason = by
      }
      let sureFrom = Number.NEGATIVE_INFINITY
      const alive = (sentAt: number) => {
        sureFrom = sentAt
      }
      const holding = holdOnce({ alive, held: Effect.asVoid(held), refused }).pipe(
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.failCause(cause as Cause.Cause<never>) // interruptions carry no error
            : Effect.logDebug("signer.turn_ended", cause)
        ),
        Effect.andThen(lost),
        Effect.andThen(Effect.sleep(tryEvery)),
        Effect.forever
      )
      yield* Effect.forkScoped(holding)
      let isOver = false
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          isOver = true
        })
      )
      yield* Deferred.await(first).pipe(
        Effect.timeoutOrElse({
          duration: patience,
          orElse: () => Effect.fail(reason)
        })
      )
      // a process that stood still learns of nothing: the session may have ended meanwhile, and another signer may have the lock
      const isHeld = () => !isOver && state === "held" && performance.now() - sureFrom < sureMs
      return { isHeld, taken: () => taken } satisfies HeldTurn as HeldTurn
    })

    return SignerTurn.of({ take })
  })
)
