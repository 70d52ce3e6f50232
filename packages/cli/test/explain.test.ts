import { explain } from "@bursar/cli/explain"
import { assert, it } from "@effect/vitest"
import { Cause } from "effect"

it("says what an error says, with its hint", () => {
  const error = Object.assign(new Error("the data directory is in use"), { hint: "Stop the other one." })
  assert.strictEqual(explain(Cause.fail(error)), "the data directory is in use Stop the other one.")
})

it("finds the words of an error that has none in what caused it", () => {
  const error = new Error("", { cause: new Error("listen EADDRINUSE: address already in use 127.0.0.1:8080") })
  assert.include(explain(Cause.fail(error)), "address already in use 127.0.0.1:8080")
})

it("adds the cause to an error that does not tell of it", () => {
  const error = new Error("storage failed: open", { cause: new Error("connection refused") })
  assert.strictEqual(explain(Cause.fail(error)), "storage failed: open: connection refused")
})

it("tells what the database has answered, which stands below an error that says the same twice", () => {
  const reason = new Error("PgConnection: Query failed", { cause: new Error('column "x" does not exist') })
  const error = new Error("storage failed: list", { cause: new Error("PgConnection: Query failed", { cause: reason }) })
  assert.strictEqual(
    explain(Cause.fail(error)),
    'storage failed: list: PgConnection: Query failed: column "x" does not exist'
  )
})

it("shows all that is known of a bug", () => {
  assert.include(explain(Cause.die(new Error("impossible"))), "impossible")
})

it("shows by their numbers what a terminal obeys in the words of others, line by line", () => {
  const error = new Error("the node said: ok\r\u009b2K", { cause: new Error("first\nsecond\u202e") })
  assert.strictEqual(explain(Cause.fail(error)), "the node said: ok\\u{d}\\u{9b}2K: first\nsecond\\u{202e}")
})
