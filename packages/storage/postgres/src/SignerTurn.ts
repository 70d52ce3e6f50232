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

/** How long the answer to a beat may take before the lock counts as lost. */
const answerWithin = "4 seconds"

/** How long a signer that starts waits for one that is ending, or whose host vanished. */
const patience = "10 seconds"

const silent = new StorageError({ doing: "take the turn to sign", cause: new Error("the database does not answer") })

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
      held,
      refused
    }: Readonly<Record<"held" | "refused", Effect.Effect<void>>>) {
      const connection = yield* PgConnection.make({
        ...session,
        startupParameters: { ...session.startupParameters, idle_session_timeout: silenceMax }
      })
      const attempt = connection.queryValues("select pg_try_advisory_lock(hashtextextended('signer', 0))").pipe(
        Effect.map((rows) => rows[0]?.[0] === true),
        Effect.tap((taken) => (taken ? Effect.void : refused))
      )
      yield* Effect.repeat(attempt, { until: (taken) => taken, schedule: Schedule.spaced(tryEvery) })
      yield* held
      const beat = connection.queryValues("select 1").pipe(Effect.timeout(answerWithin))
      yield* Effect.repeat(beat, Schedule.spaced(beatEvery))
    }, Effect.scoped)

    const take = Effect.gen(function* () {
      const first = yield* Deferred.make<void>()
      let state: "waiting" | "held" | "lost" = "waiting"
      const held = Effect.suspend(() => {
        const regained = state === "lost"
        state = "held"
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
      let answered = false
      const refused = Effect.sync(() => void (answered = true))
      const holding = holdOnce({ held: Effect.asVoid(held), refused }).pipe(
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
      yield* Deferred.await(first).pipe(
        Effect.timeoutOrElse({
          duration: patience,
          orElse: () => Effect.fail(answered ? new SignerTurnTaken() : silent)
        })
      )
      return { isHeld: () => state === "held" } satisfies HeldTurn as HeldTurn
    })

    return SignerTurn.of({ take })
  })
)
