import { logStorageError } from "@bursar/core/engine/StorageError"
import { accountQueue } from "@bursar/core/account/accountQueue"
import { verificationQueue } from "@bursar/core/customer/Customer"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { allFiatProviders, allIdentityProviders } from "@bursar/core/port/EarlierProviders"
import type { ProviderRequest, ReadHint } from "@bursar/core/port/ProviderHint"
import { RateLimits } from "@bursar/core/port/RateLimits"
import { transferQueue } from "@bursar/core/transfer/Transfer"
import { ByteSize, Clock, Effect, Layer, Option, Semaphore } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { addressGroup } from "./clientAddress.ts"
import { CurrentRequest } from "./CurrentRequest.ts"
import { errorResponse } from "./errorResponse.ts"

/** The most that a webhook of a provider may weigh, in bytes. They name what changed, and are small. */
const bodyBytesMax = 256 * 1_024

/**
 * The most webhooks of one provider that are received at once, whoever sends them: 4 MiB of bodies beyond the 64 KiB that each
 * connection holds anyway.
 */
const bodiesAtOnceMax = 16

/** How long the body of a webhook may take to come, in milliseconds. */
const bodyTimeoutMs = 10_000

/** How many untrusted webhooks per minute an address is answered with 401 before it is told to wait. */
const untrustedPerMinute = 60

/** Where webhooks of a provider are received, as a route. */
export const webhookRoute = { method: "POST", path: "/providers/:name/webhook" } as const

/** Where a provider sends its webhooks. */
export const webhookPath = (name: string): string => `/providers/${name}/webhook`

/** The queue whose jobs each kind of hint expedites; their keys begin with what the hint is about. */
const queues = { applicant: verificationQueue, account: accountQueue, transfer: transferQueue, other: null } as const

/** How the webhooks of each configured provider are read, earlier ones included, by its name. One name may be that of two providers. */
const readers: Effect.Effect<ReadonlyMap<string, ReadonlyArray<ReadHint>>> = Effect.gen(function* () {
  const byName = new Map<string, ReadonlyArray<ReadHint>>()
  const add = ({ name, readHint }: { readonly name: string; readonly readHint: ReadHint }) =>
    byName.set(name, [...(byName.get(name) ?? []), readHint])
  for (const provider of [...(yield* allIdentityProviders), ...(yield* allFiatProviders)]) add(provider)
  return byName
})

/** The paths on which webhooks are received: anybody may knock there, what a signature does not vouch for is not looked at. */
export const webhookPaths: Effect.Effect<ReadonlyArray<string>> = Effect.map(readers, (all) =>
  [...all.keys()].map(webhookPath)
)

/** The answer to what no signature vouches for: the same words, whatever is wrong with it. */
const untrusted = Effect.fnUntraced(function* (rates: RateLimits["Service"], now: number) {
  const { clientAddress, id: requestId } = yield* CurrentRequest
  const window = { subject: `webhook:${addressGroup(clientAddress)}`, limit: untrustedPerMinute }
  const decision = yield* rates.take([window], now)
  if (decision._tag === "Allowed") return errorResponse("signature_invalid", { requestId })
  const { limit, retryAfterSeconds } = decision
  return errorResponse("rate_limited", { requestId, retryAfterSeconds, detail: { limit_per_minute: limit } })
})

/** The body, or the answer where it is too large or broken off. */
const bodyOf = Effect.fnUntraced(
  function* (request: HttpServerRequest.HttpServerRequest) {
    const { id: requestId } = yield* CurrentRequest
    const tooLarge = Effect.fail(errorResponse("body_too_large", { requestId }))
    const malformed = Effect.fail(errorResponse("malformed_request", { requestId }))
    const body = yield* Effect.catch(request.arrayBuffer, ({ reason }) =>
      reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge" ? tooLarge : malformed
    ).pipe(Effect.timeoutOrElse({ duration: bodyTimeoutMs, orElse: () => malformed }))
    return body.byteLength > bodyBytesMax ? yield* tooLarge : new Uint8Array(body)
  },
  Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bodyBytesMax))
)

const receiving = (jobQueue: JobQueue["Service"], rates: RateLimits["Service"]) =>
  Effect.fn("providerWebhooks.receive")(
    function* (name: string, reads: ReadonlyArray<ReadHint>) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const facts = yield* CurrentRequest
      facts.route = `POST ${webhookPath(name)}`
      const now = yield* Clock.currentTimeMillis
      const given: ProviderRequest = { headers: request.headers, body: yield* bodyOf(request) }
      const read = yield* Effect.forEach(reads, (readHint) => readHint(given))
      const hint = read.find((one) => one._tag === "Hint")
      if (hint === undefined) return yield* untrusted(rates, now)
      const queue = queues[hint.what]
      if (queue !== null && hint.about !== "") yield* jobQueue.expedite(queue, hint.about, now)
      return HttpServerResponse.jsonUnsafe({ received: true })
    },
    Effect.catch((refused) => {
      if (HttpServerResponse.isHttpServerResponse(refused)) return Effect.succeed(refused)
      return Effect.gen(function* () {
        yield* logStorageError(refused)
        return errorResponse("read_only", { requestId: (yield* CurrentRequest).id })
      })
    })
  )

/** Serves so many at once; any other is told to come again. */
const bounded = <E, R>(
  places: Semaphore.Semaphore,
  receive: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) =>
  Effect.flatMap(Semaphore.withPermitsIfAvailable(places, 1)(receive), (served) =>
    Option.match(served, {
      onSome: Effect.succeed,
      onNone: () => Effect.map(CurrentRequest, ({ id }) => errorResponse("read_only", { requestId: id }))
    })
  )

/**
 * Receives the webhooks of the configured providers. They are hints: what a signature vouches for makes the worker look
 * sooner at what it would look at anyway, and nothing in them is taken for true. Any other is answered alike. What many send at once to
 * one provider's route keeps no other provider's webhooks from being received.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const receive = receiving(yield* JobQueue, yield* RateLimits)
    const all = [...(yield* readers)]
    return HttpRouter.addAll(
      all.map(([name, reads]) =>
        HttpRouter.route(
          "POST",
          `/providers/${name}/webhook`,
          bounded(Semaphore.makeUnsafe(bodiesAtOnceMax), receive(name, reads))
        )
      )
    )
  })
)
