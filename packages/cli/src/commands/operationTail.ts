import { printable } from "@bursar/api/wire/printable"
import type { OperatorClient } from "@bursar/client/effect"
import { Console, Effect, Option, Schedule, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandFailed } from "../config/CommandFailed.ts"
import { untilStopped } from "../untilStopped.ts"
import { connect, connectionFlags, findTenant } from "./operator.ts"
import { printText } from "./print.ts"

/** How many outcomes are remembered, so that one which comes twice after a break is printed once. */
const rememberedMax = 5_000

/** How long to wait before the stream is opened again. */
const again = Schedule.max([Schedule.exponential("500 millis"), Schedule.spaced("10 seconds")])

type Api = Pick<OperatorClient, "live">

/** The stream broke, and can be opened again. */
const broken = { _tag: "Broken" } as const

/** What happens from now on, over as many connections as it takes. It fails once the session is over. */
const follow = (client: Api, print: (data: Told) => ReturnType<typeof printText>) => {
  const seen = new Set<string>()
  let last: string | undefined
  const one = Effect.gen(function* () {
    const events = yield* client.live.stream({ headers: last === undefined ? {} : { "last-event-id": last } })
    yield* Stream.runForEach(events, (event) =>
      Effect.gen(function* () {
        if (event.id !== undefined) last = event.id
        if (event.event === "ended" && event.data.reason === "session")
          return yield* new CommandFailed({ message: "The session is over, or your role is another now." })
        if (event.event === "changed" && event.data.missed)
          yield* Console.error("More happened than is printed: see bursar operation list.")
        if (event.event !== "happened") return undefined
        const key = `${event.data.tenant_id}|${event.data.happened.id}`
        if (seen.has(key)) return undefined
        seen.add(key)
        if (seen.size > rememberedMax) seen.delete(seen.values().next().value ?? key)
        return yield* print(event.data)
      })
    )
    return yield* Effect.fail(broken)
  })
  return Effect.retry(one, { schedule: again, while: (error) => "_tag" in error && retried.has(error._tag) })
}

/** What ends a connection without saying anything about whoever asked. */
const retried: ReadonlySet<string> = new Set(["Broken", "HttpClientError", "Retry", "SseError"])

interface Told {
  readonly tenant_id: string
  readonly tenant: string
  readonly happened: {
    readonly id: number
    readonly kind: string
    readonly resource_id: string
    readonly occurred_at: string
  }
}

/** `bursar operation tail` */
export const tail = Command.make(
  "tail",
  {
    ...connectionFlags,
    tenant: Flag.String("tenant").pipe(Flag.withDescription("Only those of a tenant, by slug or id"), Flag.optional)
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const only = yield* Option.match(options.tenant, {
      onNone: () => Effect.succeedNone,
      onSome: (name) => Effect.map(findTenant(client, name), ({ id }) => Option.some(id))
    })
    yield* follow(client, (told) => {
      const { happened, tenant } = told
      if (Option.isSome(only) && only.value !== told.tenant_id) return Effect.void
      return printText(
        options.json
          ? JSON.stringify(told)
          : [happened.occurred_at, tenant, happened.kind, happened.resource_id].map(printable).join("  ")
      )
    })
  }, untilStopped)
).pipe(
  Command.withDescription("Print outcomes as they happen, of all tenants or of one, until it is stopped"),
  Command.withExamples([
    {
      command: "bursar operation tail",
      description: "Deposits, payouts and all other outcomes, as tenants are told them"
    },
    { command: "bursar operation tail --tenant acme --json", description: "Those of a tenant, a JSON object a line" }
  ])
)
