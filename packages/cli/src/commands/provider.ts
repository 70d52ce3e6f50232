import { Effect } from "effect"
import { Command } from "effect/cli"
import { connect, connectionFlags } from "./operator.ts"
import { printRows } from "./print.ts"

const list = Command.make(
  "list",
  connectionFlags,
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { providers } = yield* client.health.providers()
    const rows = providers.map(({ does, environment, name, recent, stopped, takes_new }) => ({
      name,
      does,
      environment,
      takes_new,
      stopped: stopped === null ? "no" : `by ${stopped.by}: ${stopped.reason}`,
      operations: recent?.operations,
      failed: recent?.failed,
      unresolved: recent?.unresolved
    }))
    yield* printRows(options.json, options.json ? providers : rows, "No provider is configured.")
  })
).pipe(Command.withDescription("List providers, what is stopped, and how their newest operations of a day stand"))

/** `bursar provider …` */
export const providerCommand = Command.make("provider").pipe(
  Command.withDescription("Custodians, fiat and identity providers"),
  Command.withSubcommands([list])
)
