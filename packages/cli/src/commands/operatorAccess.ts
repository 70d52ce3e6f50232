import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { connect, connectionFlags } from "./operator.ts"
import { printRecord, printRows } from "./print.ts"

/** `bursar operator list`. */
export const list = Command.make(
  "list",
  connectionFlags,
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const found = yield* client.access.operators()
    if (options.json) return yield* printRecord(true, found)
    const shared = "All share one token: whoever has it is an administrator."
    yield* printRows(false, found.operators, found.shared_token ? shared : "Nobody is an operator.")
  })
).pipe(Command.withDescription("List who may use the operator interface, with role and credential"))

/** `bursar operator sessions`. */
export const sessions = Command.make(
  "sessions",
  connectionFlags,
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const found = yield* client.access.sessions()
    yield* printRows(options.json, found.sessions, "No browser is signed in.")
  })
).pipe(Command.withDescription("List the browsers that are signed in: yours, and as an administrator everybody's"))

/** `bursar operator end-session`. */
export const endSession = Command.make(
  "end-session",
  { ...connectionFlags, session: Argument.String("session").pipe(Argument.withDescription("The id of the session")) },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const left = yield* client.access.endSession({ params: { session_id: options.session } })
    yield* printRows(options.json, left.sessions, "No browser is signed in any more.")
  })
).pipe(Command.withDescription("Sign a browser out, everywhere and at once"))
