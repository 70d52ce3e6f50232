import { attempt, attemptChange } from "../src/internal/attempt.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ConnectionError, SqlError, UnknownError } from "effect/sql/SqlError"

/** A failure as the driver gives it, with what the server or the socket said. */
const failure = (Reason: typeof ConnectionError | typeof UnknownError, operation: string, code?: string) =>
  new SqlError({ reason: new Reason({ cause: Object.assign(new Error("test"), code && { code }), operation }) })

const outcomes = (error: SqlError) =>
  Effect.all(
    [attempt, attemptChange].map((as) =>
      Effect.map(Effect.flip(as("test")(Effect.fail(error))), ({ outcome }) => outcome ?? "none")
    )
  )

describe("of a statement that changes something", () => {
  for (const [what, error] of [
    ["whose session was lost", failure(ConnectionError, "query")],
    ["whose socket broke", failure(ConnectionError, "query", "EPIPE")],
    ["whose server was shut down", failure(UnknownError, "query", "57P01")],
    ["whose session the server gave up", failure(ConnectionError, "query", "08006")],
    ["whose answer made no sense", failure(UnknownError, "query")]
  ] as const)
    it.effect(`${what} it is not known whether it was carried out`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* outcomes(error), ["none", "unknown"])
      })
    )

  for (const [what, error] of [
    ["that found no session", failure(ConnectionError, "connect", "ECONNREFUSED")],
    ["that a server refused which only reads", failure(UnknownError, "query", "25006")],
    ["for which the disk is full", failure(UnknownError, "query", "53100")],
    ["that a trigger refused", failure(UnknownError, "query", "P0001")],
    ["whose transaction was rolled back", failure(UnknownError, "commit")]
  ] as const)
    it.effect(`${what} it is certain that it was not carried out`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* outcomes(error), ["none", "none"])
      })
    )
})
