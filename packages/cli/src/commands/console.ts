import { Effect } from "effect"
import { Command } from "effect/cli"
import { clientOf, connectionFlags, findTarget } from "./operator.ts"
import { printRecord, printText } from "./print.ts"

/** The address at which a code signs a browser in: behind `#`, so that it is in no log. */
export const signInLink = (operatorUrl: string, code: string): string =>
  `${operatorUrl.replace(/\/+$/u, "")}/#${new URLSearchParams({ code }).toString()}`

const link = Command.make(
  "link",
  connectionFlags,
  Effect.fn(function* (options) {
    const target = yield* findTarget(options)
    const client = yield* clientOf(target)
    const { code, expires_at } = yield* client.session.link()
    const url = signInLink(target.baseUrl, code)
    yield* options.json ? printRecord(true, { url, expires_at }) : printText(url)
  })
).pipe(
  Command.withDescription("Print a link that signs you in to the operator console, once, within five minutes"),
  Command.withExamples([{ command: "bursar console link", description: "Open what it prints in a browser" }])
)

/** `bursar console …` */
export const consoleCommand = Command.make("console").pipe(
  Command.withDescription("The operator console in a browser"),
  Command.withSubcommands([link])
)
