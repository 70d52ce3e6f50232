import { storable } from "@bursar/core/base/storable"
import type { AttemptOutcome } from "@bursar/core/event/DeliverySchedule"
import type { AttemptRecord, EndpointWork } from "@bursar/core/port/Deliveries"
import { SecretBox, type SecretUnreadable } from "@bursar/core/port/SecretBox"
import { namedIn } from "@bursar/core/granting/namedIn"
import { ShownAddresses } from "@bursar/core/granting/ShownAddresses"
import { Clock, Effect, type Redacted, Result } from "effect"
import { Egress } from "../egress/Egress.ts"
import { reachOf } from "../egress/Reach.ts"
import { apart } from "../queue/apart.ts"
import { defaultDeliverLimits, type DeliverOptions } from "./DeliverOptions.ts"
import type { Due } from "./inTurn.ts"
import { retryAfterMs } from "./retryAfterMs.ts"
import { signWebhook } from "./signWebhook.ts"
import { webhookBody } from "./webhookBody.ts"
import { webhookHeaders } from "./webhookHeaders.ts"

/** An attempt that was made: the line for its log, and what matters for what follows. */
export interface Attempt {
  readonly record: AttemptRecord
  readonly outcome: AttemptOutcome
  readonly endedAt: number
}

/** The start of an answer as text that every database can hold. */
const textOf = (bytes: Uint8Array): string => storable(new TextDecoder().decode(bytes))

/** Where events are sent, and the secret that signs them; a failure where it cannot be opened. */
export interface Receiver extends Pick<EndpointWork, "endpoint" | "tenant"> {
  readonly secret: Result.Result<Redacted.Redacted, SecretUnreadable>
}

/** An event that is to be sent, unless the address that it names cannot be verified. */
interface Begun extends Pick<Due, "attempt" | "event"> {
  readonly isVerified: boolean
}

/**
 * Looks at the address that an event names, before it is sent: those after it wait, so that first attempts begin in order. One that cannot be
 * looked at, as by a row that somebody has made unreadable, keeps back its own events alone.
 */
export const lookedAt = Effect.fnUntraced(function* ({ tenant }: EndpointWork, { attempt: number, event }: Due) {
  const shown = yield* ShownAddresses
  const isVerified = yield* apart(
    { event: String(event.id) },
    Effect.suspend(() => shown.verifyNamed(tenant.id, namedIn(event))).pipe(
      Effect.as(true),
      Effect.catchTag("AddressForged", () => Effect.succeed(false))
    )
  )
  return { attempt: number, event, isVerified: isVerified === true } satisfies Begun
})

/** The receiver of what was leased. */
export const receiverOf = Effect.fnUntraced(function* ({
  endpoint,
  tenant
}: EndpointWork): Effect.fn.Return<Receiver, never, SecretBox> {
  const secrets = yield* SecretBox
  const secret = yield* Effect.result(secrets.open(endpoint.tenantId, endpoint.secret))
  if (Result.isFailure(secret)) yield* Effect.logError("webhook.secret_unreadable")
  return { endpoint, tenant, secret }
})

const post = Effect.fnUntraced(function* (
  { endpoint, secret: opened, tenant }: Receiver,
  event: Due["event"],
  options: DeliverOptions
) {
  const { limits = defaultDeliverLimits, sandboxMayReachLocal, serviceName } = options
  const { connectTimeoutMs, responseBytesMax, totalTimeoutMs } = limits
  const outbound = yield* Egress
  const secret = yield* Effect.fromResult(opened)
  const names = webhookHeaders(serviceName)
  const body = webhookBody(event)
  const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
  return yield* outbound.send({
    method: "POST",
    url: endpoint.url,
    chosenBy: "tenant",
    reach: reachOf(tenant.kind, sandboxMayReachLocal),
    headers: {
      "content-type": "application/json",
      [names.eventId]: String(event.id),
      [names.timestamp]: String(timestamp),
      [names.signature]: signWebhook(secret, timestamp, body)
    },
    body,
    connectTimeoutMs,
    totalTimeoutMs,
    responseBytesMax,
    keepAlive: true
  })
})

/** What is said of an attempt that was not sent, since the address that its event names cannot be verified. */
export const addressUnverified = "the address that it names cannot be verified"

/** What there is to say of an attempt that no answer came to. */
const notSent = (problem: string, isOwnFault: boolean) => ({
  status: null,
  problem,
  responseStart: "",
  retryAfter: undefined,
  isOwnFault
})

/**
 * Sends one event to one endpoint. Whatever comes of it is the outcome of the attempt: a URL that must not be
 * reached is a failure like a host that does not answer; a secret that cannot be opened and an address that cannot be verified are the
 * service's own.
 */
export const attempt = Effect.fn("deliver.attempt")(function* (
  receiver: Receiver,
  begun: Begun,
  options: DeliverOptions
) {
  const { attempt: number, event, isVerified } = begun
  const at = yield* Clock.currentTimeMillis
  const sent = post(receiver, event, options).pipe(
    Effect.map(({ body, headers, status }) => ({
      status,
      problem: null,
      responseStart: textOf(body),
      retryAfter: headers.get("retry-after"),
      isOwnFault: false
    })),
    Effect.catchTags({
      EgressError: ({ detail }) => Effect.succeed(notSent(storable(detail), false)),
      SecretUnreadable: () => Effect.succeed(notSent("the endpoint's secret cannot be opened", true))
    })
  )
  const answer = isVerified ? yield* sent : notSent(addressUnverified, true)
  const endedAt = yield* Clock.currentTimeMillis
  const { isOwnFault, problem, responseStart, retryAfter, status } = answer
  return {
    record: {
      endpointId: receiver.endpoint.id,
      eventId: event.id,
      attempt: number,
      at,
      status,
      problem,
      durationMs: endedAt - at,
      responseStart
    },
    outcome: { status, retryAfterMs: retryAfterMs(retryAfter, endedAt), isOwnFault },
    endedAt
  } satisfies Attempt
})
