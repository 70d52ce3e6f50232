import { type ProviderResult, refused, unknown } from "@bursar/core/port/ProviderResult"
import { Data, Effect, Option, Redacted, Result, Schema, Stream } from "effect"
import { HttpClient, type HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"

/** A page of a hundred transfers runs to a few hundred kilobytes. */
const answerBytesMax = 4 * 1024 * 1024

/** No answer came that can be used. Says why in words that hold nothing of what was sent. */
export class NoAnswer extends Data.TaggedError("NoAnswer")<{ readonly detail: string }> {}

/** Bridge does not do it, and says so: nothing was done, and asking again would change nothing. */
export class NotTaken extends Data.TaggedError("NotTaken")<{ readonly reason: string; readonly code: string }> {}

/** What Bridge answered. */
export interface BridgeAnswer {
  readonly status: number
  /** Undefined where the body is not JSON. */
  readonly json: unknown
}

/** Asks Bridge once. */
export interface BridgeHttp {
  readonly get: (path: string, query?: Readonly<Record<string, string>>) => Effect.Effect<BridgeAnswer, NoAnswer>
  /** Bridge answers the same key and body for 24 hours as it did the first time. */
  readonly post: (path: string, idempotencyKey: string, payload: unknown) => Effect.Effect<BridgeAnswer, NoAnswer>
}

const reasonOf = ({ reason }: HttpClientError.HttpClientError): string => {
  const cause = "cause" in reason && reason.cause instanceof Error ? reason.cause : undefined
  const inner = cause?.cause instanceof Error ? cause.cause.message : cause?.message
  return inner === undefined || inner === "" ? reason._tag : inner
}

const readText = (response: HttpClientResponse.HttpClientResponse) =>
  Stream.runFoldEffect(
    response.stream,
    () => ({ text: "", bytes: 0, decoder: new TextDecoder() }),
    (read, chunk) => {
      const bytes = read.bytes + chunk.length
      return bytes > answerBytesMax
        ? Effect.fail(new NoAnswer({ detail: `more than ${answerBytesMax} bytes` }))
        : Effect.succeed({ ...read, bytes, text: read.text + read.decoder.decode(chunk, { stream: true }) })
    }
  ).pipe(Effect.map(({ decoder, text }) => text + decoder.decode()))

const jsonOf = (text: string): unknown => Result.getOrUndefined(Result.try((): unknown => JSON.parse(text)))

/** Bridge over HTTP. Every question is one request; nothing is asked again here. */
export const makeBridgeHttp = (options: {
  readonly client: HttpClient.HttpClient
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted
  readonly timeoutMs: number
}): BridgeHttp => {
  const { client, timeoutMs } = options
  const ask = (request: HttpClientRequest.HttpClientRequest): Effect.Effect<BridgeAnswer, NoAnswer> =>
    client
      .execute(
        HttpClientRequest.setHeaders(request, {
          accept: "application/json",
          "api-key": Redacted.value(options.apiKey)
        })
      )
      .pipe(
        Effect.flatMap((response) =>
          Effect.map(readText(response), (text) => ({ status: response.status, json: jsonOf(text) }))
        ),
        // Its headers are credentials, and others are not to see our traces.
        Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
        Effect.catchTag("HttpClientError", (error) => Effect.fail(new NoAnswer({ detail: reasonOf(error) }))),
        Effect.timeoutOrElse({
          duration: timeoutMs,
          orElse: () => Effect.fail(new NoAnswer({ detail: `no answer within ${timeoutMs} ms` }))
        })
      )
  const urlOf = (path: string) => new URL(`/v0${path}`, options.baseUrl)
  return {
    get: (path, query = {}) => ask(HttpClientRequest.get(urlOf(path), { urlParams: query })),
    post: (path, idempotencyKey, payload) =>
      ask(
        HttpClientRequest.post(urlOf(path), { headers: { "idempotency-key": idempotencyKey } }).pipe(
          HttpClientRequest.bodyText(JSON.stringify(payload), "application/json")
        )
      )
  }
}

/** Bridge's own word for what is wrong: its code, and the names of the fields, never what stood in them. */
const Problem = Schema.Struct({
  code: Schema.String.check(Schema.isPattern(/^[\w.-]{1,64}$/u)),
  message: Schema.optionalKey(Schema.Unknown),
  source: Schema.optionalKey(Schema.Struct({ key: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)) }))
})

const decodeProblem = Schema.decodeUnknownOption(Problem)

/** The statuses by which Bridge can refuse. A wrong key or too many requests are not among them: those pass. */
const refusals: ReadonlySet<number> = new Set([400, 404, 422])

const fieldsOf = (key: Readonly<Record<string, unknown>> | undefined): string => {
  const names = Object.keys(key ?? {}).filter((name) => /^[\w.[\]-]{1,64}$/u.test(name))
  return names.length === 0 ? "" : ` (${names.join(", ")})`
}

const isAboutKey = ({ code, message }: typeof Problem.Type): boolean => /idempoten/iu.test(`${code} ${String(message)}`)

/** Whether the idempotency key was used before, for another request or too long ago. */
export const isUsedUp = ({ json, status }: BridgeAnswer): boolean =>
  status === 422 && Option.exists(decodeProblem(json), isAboutKey)

/**
 * A refusal, where the answer is one: a status that refuses and Bridge's own code, not some gateway's page. An idempotency
 * key that was used up says nothing of the order that used it, so that is no refusal.
 */
export const refusalIn = ({ json, status }: BridgeAnswer): NotTaken | undefined => {
  const problem = refusals.has(status) ? Option.getOrUndefined(decodeProblem(json)) : undefined
  if (problem === undefined || isAboutKey(problem)) return undefined
  return new NotTaken({ code: problem.code, reason: `Bridge refuses: ${problem.code}${fieldsOf(problem.source?.key)}` })
}

/** What was asked for, read as it should be. Everything but that, and a refusal, leaves open what happened. */
export const expect =
  <S extends Schema.Codec<unknown, unknown>>(schema: S) =>
  (doing: string, answer: BridgeAnswer): Effect.Effect<S["Type"], NoAnswer | NotTaken> => {
    const refusal = refusalIn(answer)
    if (refusal !== undefined) return Effect.fail(refusal)
    if (answer.status < 200 || answer.status >= 300) {
      return Effect.fail(new NoAnswer({ detail: `${doing}: HTTP ${answer.status}` }))
    }
    return Option.match(Schema.decodeUnknownOption(schema)(answer.json), {
      onNone: () => Effect.fail(new NoAnswer({ detail: `${doing}: the answer is not understood` })),
      onSome: Effect.succeed
    })
  }

/** That Bridge refuses to show something says nothing of what is ordered: keys of another account or environment see none of what there is. */
export const shown = <A>(asking: Effect.Effect<A, NoAnswer | NotTaken>): Effect.Effect<A, NoAnswer> =>
  Effect.catchTag(asking, "NotTaken", ({ reason }) => Effect.fail(new NoAnswer({ detail: reason })))

/** The three answers of a call: done, refused by Bridge, or not known. */
export const toAnswer = <A, R>(
  effect: Effect.Effect<ProviderResult<A>, NoAnswer | NotTaken, R>
): Effect.Effect<ProviderResult<A>, never, R> =>
  Effect.catchTags(effect, {
    NotTaken: ({ reason }) => Effect.succeed(refused(reason)),
    NoAnswer: ({ detail }) => Effect.succeed(unknown(detail))
  })
