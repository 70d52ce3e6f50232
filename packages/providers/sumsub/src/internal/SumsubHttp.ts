import type { Timestamp } from "@bursar/core/base/Timestamp"
import { Clock, Data, Effect, Option, Redacted, Result, Stream } from "effect"
import { Headers, HttpClient, HttpClientRequest, type HttpClientError, type HttpClientResponse } from "effect/http"
import { createHmac } from "node:crypto"

/** An applicant with everything that Sumsub knows of it runs to some tens of kilobytes. */
const answerBytesMax = 1024 * 1024

/** No answer came that can be used. Says why in words that hold nothing of what was sent. */
export class NoAnswer extends Data.TaggedError("NoAnswer")<{ readonly detail: string }> {}

/** What Sumsub answered. */
export interface SumsubAnswer {
  readonly status: number
  /** Undefined where the body is not JSON. */
  readonly json: unknown
  /** When it was asked, by its own clock where it tells: what happened since then may be missing in the answer. */
  readonly at: Timestamp
}

/** Asks once. `path` is what is signed: with its query, and encoded as it is sent. */
export type Ask = (method: "GET" | "POST", path: string, payload?: unknown) => Effect.Effect<SumsubAnswer, NoAnswer>

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

/** `X-App-Access-Sig`: HMAC-SHA-256 of seconds, method, path with query, and body. */
const signatureOf = (secret: string, seconds: number, method: string, path: string, body: string): string =>
  createHmac("sha256", secret).update(`${seconds}${method}${path}${body}`).digest("hex")

/** Asks Sumsub over HTTP. Every question is one request, signed at the time it is sent; nothing is asked again here. */
export const makeAsk = (options: {
  readonly client: HttpClient.HttpClient
  readonly baseUrl: string
  readonly appToken: Redacted.Redacted
  readonly secretKey: Redacted.Redacted
  readonly timeoutMs: number
}): Ask => {
  const { client, timeoutMs } = options
  return Effect.fnUntraced(function* (method, path, payload) {
    const url = new URL(path, options.baseUrl)
    const body = payload === undefined ? "" : JSON.stringify(payload)
    const now = yield* Clock.currentTimeMillis
    const seconds = Math.floor(now / 1000)
    const secret = Redacted.value(options.secretKey)
    const request = HttpClientRequest.make(method)(url.href, {
      headers: {
        accept: "application/json",
        "x-app-token": Redacted.value(options.appToken),
        "x-app-access-ts": String(seconds),
        "x-app-access-sig": signatureOf(secret, seconds, method, url.pathname + url.search, body)
      }
    })
    return yield* client
      .execute(body === "" ? request : HttpClientRequest.bodyText(request, body, "application/json"))
      .pipe(
        Effect.flatMap((response) =>
          Effect.zipWith(readText(response), Clock.currentTimeMillis, (text, then) => ({
            status: response.status,
            json: jsonOf(text),
            at: Option.match(Option.fromUndefinedOr(response.headers["date"]), {
              onNone: () => now,
              onSome: (date) =>
                Result.match(Headers.parseHttpDate(date), {
                  onFailure: () => now,
                  onSuccess: (answered) => answered.epochMilliseconds - (then - now)
                })
            })
          }))
        ),
        // Its headers are credentials, and others are not to see our traces.
        Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
        Effect.catchTag("HttpClientError", (error) => Effect.fail(new NoAnswer({ detail: reasonOf(error) }))),
        Effect.timeoutOrElse({
          duration: timeoutMs,
          orElse: () => Effect.fail(new NoAnswer({ detail: `no answer within ${timeoutMs} ms` }))
        })
      )
  })
}
