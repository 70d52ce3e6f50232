import type { ReadHint } from "@bursar/core/port/ProviderHint"
import { Cause, Clock, Effect, Option, Redacted, Schedule, Schema } from "effect"
import type { Scope } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { createHmac, timingSafeEqual } from "node:crypto"

/** Where the sandbox tells that something has changed, and the secret that it signs with. */
export interface SandboxWebhook {
  readonly url: string
  readonly secret: Redacted.Redacted
}

/** The header that carries `t=<milliseconds>,v1=<hex of HMAC-SHA-256 over t, a dot and the body>`. */
export const signatureHeader = "x-sandbox-signature"

const toleranceMs = 5 * 60 * 1_000
const timeoutMs = 5_000
const retriesMax = 4

const Told = Schema.Struct({
  what: Schema.Literals(["applicant", "account", "transfer"]),
  about: Schema.NonEmptyString
})

/** What has changed. */
export type Told = typeof Told.Type

const decodeTold = Schema.decodeUnknownOption(Schema.fromJsonString(Told))

const macOf = (secret: Redacted.Redacted, at: string, body: Uint8Array): Buffer =>
  createHmac("sha256", Redacted.value(secret)).update(`${at}.`).update(body).digest()

/** The header's value for a body that is sent at a time in Unix milliseconds. */
export const sign = (secret: Redacted.Redacted, at: number, body: Uint8Array): string =>
  `t=${at},v1=${macOf(secret, String(at), body).toString("hex")}`

const untrusted = (reason: string) => ({ _tag: "Untrusted", reason }) as const

/** Reads the sandbox's webhooks. Without a secret none is trusted. */
export const readSandboxHint =
  (secret: Redacted.Redacted | null): ReadHint =>
  ({ body, headers }) =>
    Effect.gen(function* () {
      if (secret === null) return untrusted("the sandbox has no webhook secret")
      const [, at, hex] = /^t=(\d{1,16}),v1=([0-9a-f]{64})$/u.exec(headers[signatureHeader] ?? "") ?? []
      if (at === undefined || hex === undefined) return untrusted(`${signatureHeader} is missing or malformed`)
      const now = yield* Clock.currentTimeMillis
      if (Math.abs(now - Number(at)) > toleranceMs) return untrusted("the time is too far from now")
      if (!timingSafeEqual(Buffer.from(hex, "hex"), macOf(secret, at, body))) return untrusted("the signature is wrong")
      return Option.match(decodeTold(new TextDecoder().decode(body)), {
        onNone: () => ({ _tag: "Hint", what: "other", about: "" }) as const,
        onSome: ({ about, what }) => ({ _tag: "Hint", what, about }) as const
      })
    })

/** Tells of something that has changed by now, or will have after so many milliseconds. Whoever asks does not wait. */
export type Tell = (told: Told, afterMs?: number) => Effect.Effect<void>

/** Makes what tells of changes for as long as the scope is open. A receiver that does not answer is tried a few times more. */
export const makeTell = Effect.fn("SandboxWebhook.makeTell")(function* (
  webhook: SandboxWebhook | null
): Effect.fn.Return<Tell, never, Scope.Scope> {
  const scope = yield* Effect.scope
  if (webhook === null) return () => Effect.void
  const send = Effect.fnUntraced(function* (told: Told) {
    const client = HttpClient.filterStatusOk(yield* HttpClient.HttpClient)
    const body = new TextEncoder().encode(JSON.stringify(told))
    const header = sign(webhook.secret, yield* Clock.currentTimeMillis, body)
    yield* client
      .execute(
        HttpClientRequest.post(webhook.url, { headers: { [signatureHeader]: header } }).pipe(
          HttpClientRequest.bodyUint8Array(body, "application/json")
        )
      )
      .pipe(Effect.timeout(timeoutMs))
  })
  return (told, afterMs = 0) =>
    Effect.delay(send(told), afterMs).pipe(
      Effect.retry({ schedule: Schedule.exponential("1 second"), times: retriesMax }),
      Effect.catch((error) => Effect.logDebug("sandbox.webhook_not_accepted", Cause.fail(error))),
      Effect.provide(FetchHttpClient.layer),
      Effect.forkIn(scope),
      Effect.asVoid
    )
})
