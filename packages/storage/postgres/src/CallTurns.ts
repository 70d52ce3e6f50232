import { CallTurns } from "@bursar/core/port/CallTurns"
import { StorageError } from "@bursar/core/engine/StorageError"
import { Effect, Layer, Option, Schedule } from "effect"
import { Connection } from "./Connection.ts"
import { attemptChange } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"

/** How often a turn that another holds is asked for. */
const askAgain = Schedule.jittered(Schedule.spaced("25 millis"))

/** How much longer than a turn may be held one is waited for. */
const patienceMs = 15_000

/**
 * Turns of calling providers, one row for each key. No session and no transaction is held while a call is made. The
 * database's clock counts alone, and never backwards.
 */
export const layer = Layer.effect(
  CallTurns,
  Effect.gen(function* () {
    const { sql } = yield* Connection

    const take = (key: string, token: string, holdMs: number) =>
      sql<Row>`insert into call_turn as t (key, number, token, held_until)
        values (${key}, (extract(epoch from clock_timestamp()) * 1000000)::int8, ${token}::uuid,
          clock_timestamp() + ${holdMs}::float8 * interval '1 millisecond')
        on conflict (key) do update set number = greatest(t.number + 1, excluded.number), token = excluded.token,
          held_until = excluded.held_until
        where t.held_until is null or t.held_until <= clock_timestamp()
        returning number::text as number`.pipe(Effect.map(([row]) => row && BigInt(Cell.text(row.number))))

    const giveBack = (key: string, token: string) =>
      sql`update call_turn set token = null, held_until = null where key = ${key} and token = ${token}::uuid`

    return CallTurns.of({
      inTurn: (key, holdMs, call) =>
        Effect.suspend(() => {
          const token = crypto.randomUUID()
          const turn = take(key, token, holdMs).pipe(
            Effect.repeat({ until: (number) => number !== undefined, schedule: askAgain }),
            attemptChange("take the turn of a provider's key"),
            Effect.timeoutOption(holdMs + patienceMs),
            Effect.flatMap(
              Option.match({
                onNone: () => Effect.fail(undefined),
                onSome: (number) => (number === undefined ? Effect.fail(undefined) : Effect.succeed(number))
              })
            ),
            Effect.mapError(
              (error) =>
                error ??
                new StorageError({ doing: "take the turn of a provider's key", cause: new Error("others hold it") })
            )
          )
          return Effect.acquireUseRelease(turn, call, () =>
            // what cannot be given back runs out; the call was made, and its answer counts
            Effect.ignore(giveBack(key, token))
          )
        })
    })
  })
)
