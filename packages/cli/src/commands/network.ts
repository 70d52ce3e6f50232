import { Effect } from "effect"
import { Command } from "effect/cli"
import { connect, connectionFlags } from "./operator.ts"
import { printRows } from "./print.ts"

const list = Command.make(
  "list",
  connectionFlags,
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { networks } = yield* client.health.networks()
    yield* printRows(options.json, networks, "No network is switched on.")
  })
).pipe(Command.withDescription("Show how far each network has been read, and what is wrong"))

/** `bursar network …` */
export const networkCommand = Command.make("network").pipe(
  Command.withDescription("The networks"),
  Command.withSubcommands([list])
)
