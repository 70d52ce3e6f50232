import { operationKinds, operationStatuses } from "@bursar/core/operation/Operation"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { cutBack, writeFile, writeOut } from "./exportFile.ts"
import { connect, connectionFlags, findTenant, given } from "./operator.ts"

const optional = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

/** `bursar operation export` */
export const exportOperations = Command.make(
  "export",
  {
    ...connectionFlags,
    tenant: optional("tenant", "Only those of a tenant, by slug or id"),
    kind: Flag.Literals("kind", operationKinds).pipe(Flag.withDescription("Such as WITHDRAWAL"), Flag.optional),
    status: Flag.Literals("status", operationStatuses).pipe(Flag.withDescription("Such as SETTLED"), Flag.optional),
    network: optional("network", "Only those on a network"),
    currency: optional("currency", "Only those of a currency"),
    from: optional("from", "Accepted at this date-time (RFC 3339) or later"),
    to: optional("to", "Accepted before this date-time"),
    out: optional("out", "The file to write; by default the standard output")
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const tenant = yield* Option.match(options.tenant, {
      onNone: () => Effect.succeedNone,
      onSome: (name) => Effect.map(findTenant(client, name), ({ id }) => Option.some(id))
    })
    const bytes = yield* client.operations.export({
      query: {
        ...given("tenant_id", tenant),
        ...given("kind", options.kind),
        ...given("status", options.status),
        ...given("network", options.network),
        ...given("currency", options.currency),
        ...given("created_after", options.from),
        ...given("created_before", options.to)
      }
    })
    if (Option.isNone(options.out)) return yield* writeOut(bytes)
    const file = options.out.value
    yield* cutBack(file, { posting: null })
    yield* writeFile(file, bytes)
    return yield* Console.error(`${file} is written.`)
  })
).pipe(
  Command.withDescription("Write operations as CSV, however many there are"),
  Command.withExamples([
    {
      command: "bursar operation export --tenant acme --kind WITHDRAWAL --out withdrawals.csv",
      description: "All withdrawals of a tenant, newest first"
    }
  ])
)
