import { Effect } from "effect"
import { Command } from "effect/cli"
import { connect, connectionFlags } from "./operator.ts"
import { printRecord, printRows } from "./print.ts"

/** `bursar waiting` */
export const waitingCommand = Command.make(
  "waiting",
  connectionFlags,
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const found = yield* client.waiting.show()
    if (options.json) return yield* printRecord(true, found)
    const service = found.fleet_grants === 0 ? [] : [{ tenant: "(the service itself)", grants: found.fleet_grants }]
    const rows = found.tenants.map(({ slug, ...counts }) => ({ tenant: slug, ...counts }))
    return yield* printRows(
      false,
      [...rows, ...service],
      "No grant, adjustment or resolution waits, every endpoint works, and nothing stands in suspense."
    )
  })
).pipe(
  Command.withDescription(
    "Count by tenant what waits for an operator: grants, adjustments, resolutions, endpoints that are off or fail, and suspense"
  )
)
