import type { WebhookBody } from "@bursar/api/webhook/WebhookBody"
import { Result } from "effect"
import { toConsole, toldSafely } from "../toldSafely.ts"
import { BodyTooLarge, bytesIn, type HeadersLike, headerIn, rawBytes } from "./rawDelivery.ts"
import { memorySeenEvents, type SeenEvents } from "./SeenEvents.ts"
import { verifyWebhook, type WebhookProblem } from "./verifyWebhook.ts"

/** An event as a webhook delivers it. */
export type WebhookEvent = WebhookBody

/** What a receiver is made of. */
export interface WebhookReceiverOptions {
  /** The shared secrets of this endpoint, as `webhook create` showed them: two while a rotation is under way. */
  readonly secrets: ReadonlyArray<string>
  /** Handles an event, once for an id and the time at which it occurred. Where it rejects, the delivery is answered 500 and comes again. */
  readonly onEvent: (event: WebhookEvent) => void | Promise<void>
  /** Is told of what `onEvent` threw, and of a body that was parsed before it came here; the console's error unless given. What it throws itself goes to the console. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** The name of the service as its headers carry it; `service` unless the operators chose another. */
  readonly serviceName?: string | undefined
  /** Where it is kept what was handled; the memory of this process unless told. Ids are a tenant's own: one store each. */
  readonly seen?: SeenEvents | undefined
}

/** What a delivery is to be answered with. */
export interface WebhookAnswer {
  readonly status: 200 | 400 | 401 | 413 | 500
  readonly body: { readonly received: true } | { readonly problem: WebhookProblem | "body_too_large" | "not_handled" }
}

/** A request of `node:http`, which Express passes on; with `body`, where a parser has left the raw bytes there. */
export interface NodeRequest extends AsyncIterable<string | Uint8Array> {
  readonly headers: HeadersLike
  readonly body?: unknown
}

/** A response of `node:http`, which Express passes on. */
export interface NodeResponse {
  statusCode: number
  setHeader(name: string, value: string): unknown
  end(text: string): unknown
}

/** Receives the deliveries of one endpoint. */
export interface WebhookReceiver {
  /** A delivery in any framework: the body as it came, byte for byte, and its headers. */
  readonly receive: (delivery: {
    readonly rawBody: string | Uint8Array
    readonly headers: HeadersLike
  }) => Promise<WebhookAnswer>
  /** A delivery as a Web `Request`: Hono, Next, Deno, Bun, and runtimes at the edge. */
  readonly fetch: (request: Request) => Promise<Response>
  /** A delivery as `node:http` and Express have it; mount it where no JSON parser comes before. */
  readonly node: (request: NodeRequest, response: NodeResponse) => Promise<void>
}

const refused: Readonly<Record<WebhookProblem, 400 | 401>> = {
  headers_missing: 401,
  timestamp_too_far: 401,
  signature_wrong: 401,
  body_unreadable: 400
}

const notHandled: WebhookAnswer = { status: 500, body: { problem: "not_handled" } }
const tooLarge: WebhookAnswer = { status: 413, body: { problem: "body_too_large" } }
const received: WebhookAnswer = { status: 200, body: { received: true } }

/**
 * Receives webhooks: verifies a delivery before anything in it is used, hands each event to `onEvent` once, and says what
 * to answer. An event is known by the `id` in the signed body and when it occurred; the id of the header is not signed. Two deliveries of one
 * event at the same time are handled once. Throws a `TypeError` without a secret.
 */
export const createWebhookReceiver = ({
  onError = toConsole,
  onEvent,
  secrets,
  seen = memorySeenEvents(),
  serviceName = "service"
}: WebhookReceiverOptions): WebhookReceiver => {
  // With an empty secret anybody could sign, and JavaScript makes `undefined` of a variable that is not set.
  if (secrets.length === 0 || secrets.some((secret) => !secret)) {
    throw new TypeError("A webhook receiver needs the secret that was shown when the webhook was created.")
  }
  const underWay = new Map<string, Promise<void>>()

  const handle = async (event: WebhookEvent): Promise<void> => {
    if (await seen.has(event.id, event.occurred_at)) return
    await onEvent(event)
    await seen.add(event.id, event.occurred_at)
  }

  const handleOnce = (event: WebhookEvent): Promise<void> => {
    const name = `${event.id} ${event.occurred_at}`
    const same = underWay.get(name)
    if (same !== undefined) return same
    const handling = handle(event).finally(() => underWay.delete(name))
    underWay.set(name, handling)
    return handling
  }

  const guarded = async (answer: () => Promise<WebhookAnswer>): Promise<WebhookAnswer> => {
    try {
      return await answer()
    } catch (error) {
      if (error instanceof BodyTooLarge) return tooLarge
      toldSafely(() => onError(error))
      return notHandled
    }
  }

  const verified = async (rawBody: string | Uint8Array, headers: HeadersLike): Promise<WebhookAnswer> => {
    const verdict = await verifyWebhook({ rawBody, header: headerIn(headers), secrets, serviceName })
    if (Result.isFailure(verdict)) return { status: refused[verdict.failure], body: { problem: verdict.failure } }
    await handleOnce(verdict.success)
    return received
  }

  return {
    receive: ({ headers, rawBody }) => guarded(() => verified(rawBody, headers)),
    fetch: async (request) => {
      const { body, status } = await guarded(async () =>
        verified(request.body === null ? "" : await bytesIn(request.body), request.headers)
      )
      return Response.json(body, { status })
    },
    node: async (request, response) => {
      const { body } = request
      const answer = await guarded(async () =>
        verified(body === undefined ? await bytesIn(request) : rawBytes(body), request.headers)
      )
      response.statusCode = answer.status
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify(answer.body))
    }
  }
}
