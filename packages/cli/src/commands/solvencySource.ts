import { Effect, FileSystem } from "effect"
import { CommandFailed } from "../config/CommandFailed.ts"

/** How long a server may take to answer. */
const patience = "60 seconds"

/** Reads what a URL gives, with the API key of BURSAR_API_KEY where that is asked for. A key goes to no other place than the one that is named. */
const readUrl = Effect.fnUntraced(function* (url: string, withKey: boolean) {
  const key = process.env["BURSAR_API_KEY"] ?? ""
  if (withKey && key === "") return yield* new CommandFailed({ message: "--with-key needs BURSAR_API_KEY." })
  const { body, status } = yield* Effect.tryPromise({
    try: async (signal) => {
      const answer = await fetch(url, {
        signal,
        redirect: withKey ? "error" : "follow",
        headers: withKey ? { authorization: `Bearer ${key}` } : {}
      })
      return { body: await answer.text(), status: answer.status }
    },
    catch: () => new CommandFailed({ message: `${url} does not answer.` })
  }).pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.fail(new CommandFailed({ message: `${url} does not answer in ${patience}.` }))
    })
  )
  if (status === 200) return body
  return yield* new CommandFailed({ message: `${url} answers with the status ${status}.` })
})

/** The text of a file, or of what a URL gives. */
export const readSource = Effect.fn("solvency.readSource")(function* (source: string, withKey: boolean) {
  if (/^https?:\/\//u.test(source)) return yield* readUrl(source, withKey)
  const files = yield* FileSystem.FileSystem
  return yield* Effect.mapError(
    files.readFileString(source),
    () => new CommandFailed({ message: `${source} cannot be read.` })
  )
})
