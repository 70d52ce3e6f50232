import { type PgConnection, type PgPool, PgTypes } from "@effect/sql-pg"
import { StorageError } from "@bursar/core/engine/StorageError"
import { Effect, Exit, Fiber, Predicate, Result } from "effect"
import { SqlError, UnknownError } from "effect/sql/SqlError"

/** The answer to a statement that has been sent. */
export type Answer = Effect.Effect<PgConnection.Result, SqlError | StorageError>

/** A transaction whose statements are sent without waiting for the answers to those before. */
export interface Transaction {
  /**
   * The answer to BEGIN, which travels with the first statements. To be waited for before anything is written: what is
   * sent behind a BEGIN that failed would commit on its own.
   */
  readonly begun: Answer
  /**
   * Sends a statement at once and gives its answer to wait for. Statements run in the order in which they were sent;
   * after one has failed the others fail too. One that holds what its type cannot be sent as fails as unstorable: the server never sees it.
   */
  readonly send: (sql: string, parameters?: ReadonlyArray<unknown>) => Effect.Effect<Answer>
  /** Lets what has been sent so far leave now, so that the server works on it while more is being made. */
  readonly flush: Effect.Effect<void>
  /**
   * Sends COMMIT behind everything else. Its answer fails where the transaction was rolled back instead. Where a statement could not be sent
   * it sends nothing and fails as that did: the server, which knows nothing of it, would commit the others.
   */
  readonly commit: Effect.Effect<Answer>
}

const rolledBack = () =>
  new SqlError({
    reason: new UnknownError({
      cause: new Error("the server answered ROLLBACK to COMMIT"),
      message: "the transaction had failed and was rolled back",
      operation: "commit"
    })
  })

/**
 * What begins and ends a transaction is parsed each time. A session that has lost what it had prepared, as behind a pooler, would refuse it, and the
 * driver would send it again: behind the statements that were sent meanwhile, each of which would commit on its own and hold no lock.
 */
const isControl = (sql: string): boolean => sql === "begin" || sql === "commit" || sql === "rollback"

/** The session cannot write: its server was demoted after a failover, or is told to be read only. */
const readOnly = "25006"

const cannotWrite = ({ reason: { cause } }: SqlError): boolean =>
  Predicate.hasProperty(cause, "code") && cause.code === readOnly

/** Whether a parameter can be sent as its type. Some values have the driver throw: a bigint within JSON. */
const isSendable = (one: unknown): boolean =>
  !PgTypes.isParameter(one) ||
  Result.isSuccess(
    Result.flatMap(
      Result.try(() => PgTypes.encodeParameter(one)),
      (encoded) => encoded
    )
  )

/** What is said of a statement that could not be sent: the session was lost before, or what it holds is at fault. */
const notSent =
  (parameters: ReadonlyArray<unknown>) =>
  (error: SqlError): SqlError | StorageError =>
    parameters.every(isSendable) ? error : new StorageError({ doing: "commit", cause: error, unstorable: true })

/**
 * Runs a transaction on a session of its own from a pool of multiplexing sessions, and rolls back unless it committed.
 * Not interruptible once begun: a statement timeout bounds it.
 */
export const transaction = <A, E, R>(
  pool: PgPool.PgPool,
  use: (transaction: Transaction) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError | StorageError, R> =>
  Effect.scoped(
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const connection = yield* restore(pool.get)
        // the session multiplexes: what is sent goes out in order, and nobody else has it
        let [open, isUsable] = [true, true]
        let unsent: Answer | undefined
        const query = (sql: string, parameters?: ReadonlyArray<unknown>) =>
          Effect.tapError(connection.query(sql, parameters, !isControl(sql)), (error) =>
            Effect.sync(() => {
              if (cannotWrite(error)) isUsable = false
            })
          )
        const send = (sql: string, parameters?: ReadonlyArray<unknown>): Effect.Effect<Answer> =>
          Effect.map(Effect.forkChild(query(sql, parameters), { startImmediately: true }), (sending) => {
            const exit = sending.pollUnsafe()
            // no answer comes at once: this one failed before it was sent
            if (exit === undefined || Exit.isSuccess(exit)) return Fiber.join(sending)
            const failed = Effect.mapError(exit, notSent(parameters ?? []))
            unsent ??= failed
            return failed
          })
        const begun = yield* send("begin")
        const exit = yield* Effect.exit(
          use({
            begun,
            send,
            // the driver writes in a microtask; this one runs after it
            flush: Effect.promise(() => Promise.resolve()),
            commit: Effect.suspend(() =>
              unsent === undefined
                ? Effect.map(send("commit"), (answer) =>
                    Effect.flatMap(answer, (result) => {
                      open = false
                      return result.command === "ROLLBACK" ? Effect.fail(rolledBack()) : Effect.succeed(result)
                    })
                  )
                : Effect.succeed(unsent)
            )
          })
        )
        if (open) {
          const ended = yield* Effect.exit(query("rollback"))
          // a session in an unknown state must not be lent to anybody else, nor one that would refuse them too: another may reach a server that writes
          if (Exit.isFailure(ended) || !isUsable) yield* pool.invalidate(connection)
        }
        return yield* exit
      })
    )
  )
