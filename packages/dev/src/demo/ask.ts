import { isBursarError } from "@bursar/client"
import { Duration, Effect, Schedule } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { SceneFailed } from "./SceneFailed.ts"

/** How long the story waits for what follows by itself. No healthy run comes near it. */
const patience = Duration.seconds(60)

const facts = (detail: Readonly<Record<string, unknown>>): string =>
  Object.keys(detail).length === 0 ? "" : ` ${JSON.stringify(detail)}`

const wordsOf = (error: unknown): string => {
  if (!isBursarError(error)) return error instanceof Error ? error.message : String(error)
  const { code, detail, fields, message, requestId } = error
  const wrong = fields.map((field) => ` ${field.path}: ${field.message}`).join("")
  return `${code}: ${message}${facts(detail)}${wrong}${requestId === null ? "" : ` (request ${requestId})`}`
}

/** A call of the partner's client. `what` is the call as it stands in a program. */
export const ask = <A>(what: string, call: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, SceneFailed> =>
  Effect.tryPromise({ try: call, catch: (error) => new SceneFailed({ message: `${what}: ${wordsOf(error)}` }) })

/** Waits for what must happen by itself, and says what has happened instead where it does not. */
export const awaited = <A, E>(
  what: string,
  effect: Effect.Effect<A, E>,
  instead: Effect.Effect<string, SceneFailed> = Effect.succeed("nothing came")
): Effect.Effect<A, E | SceneFailed> =>
  Effect.timeoutOrElse(effect, {
    duration: patience,
    orElse: () =>
      Effect.flatMap(instead, (words) =>
        Effect.fail(new SceneFailed({ message: `${what} has not happened in ${Duration.format(patience)}: ${words}` }))
      )
  })

/** Reads again and again until the answer is right, for what no webhook tells of. */
export const untilRight = <A>(
  what: string,
  read: Effect.Effect<A, SceneFailed>,
  right: (answer: A) => boolean,
  show: (answer: A) => string
): Effect.Effect<A, SceneFailed> =>
  awaited(
    what,
    Effect.gen(function* () {
      while (true) {
        const answer = yield* read
        if (right(answer)) return answer
        yield* Effect.sleep("500 millis")
      }
    }),
    Effect.map(read, (answer) => `it is ${show(answer)}`)
  )

const postTimeout = Duration.seconds(15)

/**
 * Tells a part of the local world what to do: a faucet, a provider. What is not ready yet is told again, for as long as
 * `retries` says, a second apart.
 */
export const tell = (url: string, body: unknown, retries = 0): Effect.Effect<unknown, SceneFailed> =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const response = yield* client.execute(HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(url), body))
    const text = yield* response.text
    if (response.status >= 300)
      return yield* new SceneFailed({ message: `${url} answered ${response.status}: ${text}` })
    return JSON.parse(text) as unknown
  }).pipe(
    Effect.timeout(postTimeout),
    Effect.mapError((error) =>
      error._tag === "SceneFailed" ? error : new SceneFailed({ message: `${url}: ${error.message}` })
    ),
    Effect.retry({ schedule: Schedule.spaced("1 second"), times: retries }),
    Effect.provide(FetchHttpClient.layer)
  )
