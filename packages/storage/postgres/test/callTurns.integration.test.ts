import { CallTurns } from "@bursar/core/port/CallTurns"
import { callTurnsSuite } from "@bursar/testkit/suites/callTurnsSuite"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

callTurnsSuite("postgres", ports(), { second: ports(), expires: true })

it.live("numbers rise when the clock of the database has jumped back", () =>
  Effect.gen(function* () {
    const turns = yield* CallTurns
    const sql = yield* client(url)
    const number = turns.inTurn("jumped", 30_000, Effect.succeed)
    const first = yield* number
    // as if all so far had been in a year to come
    yield* sql`update call_turn set number = number + 31536000000000 where key = 'jumped'`
    assert.strictEqual(yield* number, first + 31_536_000_000_001n)
  }).pipe(Effect.provide(ports()))
)
