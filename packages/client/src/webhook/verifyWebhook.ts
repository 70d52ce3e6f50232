import { WebhookBody } from "@bursar/api/webhook/WebhookBody"
import { webhookHeaders } from "@bursar/api/webhook/webhookHeaders"
import { Limits } from "@bursar/api/Limits"
import { Clock, Effect, Option, Result, Schema } from "effect"
import { rawBytes } from "./rawDelivery.ts"

/** Why a delivery must not be trusted. */
export type WebhookProblem = "headers_missing" | "timestamp_too_far" | "signature_wrong" | "body_unreadable"

/** What a receiver has of a delivery. */
export interface WebhookDelivery {
  /** The body as it came, byte for byte: never parsed and written again. */
  readonly rawBody: string | Uint8Array
  /** A header of the request by its lower-case name. */
  readonly header: (name: string) => string | null | undefined
  /** The shared secrets that may have signed: two while a rotation is under way. */
  readonly secrets: ReadonlyArray<string>
  /** Now, in Unix milliseconds; the clock's time unless told. */
  readonly now?: number
  /** The service's name as its headers carry it; `service` unless the operator chose another. */
  readonly serviceName?: string
}

const utf8 = new TextEncoder()

/** `<timestamp>.<raw body>` */
const signedText = (timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> => {
  const start = utf8.encode(`${timestamp}.`)
  const text = new Uint8Array(start.length + body.length)
  text.set(start)
  text.set(body, start.length)
  return text
}

const fromHex = (hex: string): Uint8Array<ArrayBuffer> | undefined =>
  /^(?:[0-9a-f]{2}){32}$/iu.test(hex)
    ? Uint8Array.from(hex.match(/../gu) ?? [], (byte) => Number.parseInt(byte, 16))
    : undefined

/** Web Crypto compares the HMAC in constant time. */
const signedBy = async (
  secret: string,
  text: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>
): Promise<boolean> => {
  const key = await crypto.subtle.importKey("raw", utf8.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "verify"
  ])
  return crypto.subtle.verify("HMAC", key, signature, text)
}

const decodeBody = Schema.decodeUnknownOption(Schema.fromJsonString(WebhookBody))

/**
 * Verifies a webhook delivery before anything in it is used: the HMAC-SHA-256 of `<timestamp>.<raw body>` under one of
 * the secrets, and a timestamp at most 300 seconds from now. Deduplicate by the `id` of the body it returns, not by a
 * header: only the body is signed. Rejects with a `TypeError` where the body was parsed before it came here.
 */
export const verifyWebhook = async (delivery: WebhookDelivery): Promise<Result.Result<WebhookBody, WebhookProblem>> => {
  const names = webhookHeaders(delivery.serviceName ?? "service")
  const timestamp = delivery.header(names.timestamp.toLowerCase())
  const [version, hex = ""] = (delivery.header(names.signature.toLowerCase()) ?? "").split("=")
  const signature = fromHex(hex)
  if (!timestamp || !/^[0-9]{1,12}$/u.test(timestamp) || version !== "v1" || signature === undefined) {
    return Result.fail("headers_missing")
  }
  const now = delivery.now ?? Effect.runSync(Clock.currentTimeMillis)
  if (Math.abs(now / 1000 - Number(timestamp)) > Limits.webhookToleranceSeconds) return Result.fail("timestamp_too_far")
  const body = rawBytes(delivery.rawBody)
  const text = signedText(timestamp, body)
  // with an empty secret anybody could sign
  const secrets = delivery.secrets.filter((secret) => secret !== "")
  const verdicts = await Promise.all(secrets.map((secret) => signedBy(secret, text, signature)))
  if (!verdicts.includes(true)) return Result.fail("signature_wrong")
  return Option.match(decodeBody(new TextDecoder().decode(body)), {
    onNone: () => Result.fail("body_unreadable" as const),
    onSome: (event) => Result.succeed(event)
  })
}
