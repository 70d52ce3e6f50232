import type { ReadHint } from "@bursar/core/port/ProviderHint"
import { Clock, Effect, Option, Result, Schema } from "effect"
import { createHash, createVerify } from "node:crypto"
import { accountId } from "./internal/accounts.ts"
import { Webhook } from "./internal/wire.ts"

/** How far a webhook's time may be from now. Bridge signs each delivery anew, so a delivery is never old. */
const toleranceMs = 10 * 60 * 1_000

const header = /^t=(\d{1,16}),\s*v0=([A-Za-z0-9+/]+={0,2})$/u

const decodeWebhook = Schema.decodeUnknownOption(Schema.fromJsonString(Webhook))

const untrusted = (reason: string) => ({ _tag: "Untrusted", reason }) as const

const isSignedBy = (publicKey: string, signed: Uint8Array, signature: Buffer): boolean =>
  Result.getOrElse(
    Result.try(() => createVerify("RSA-SHA256").update(signed).verify(publicKey, signature)),
    () => false
  )

const about = ({ event_category: category, event_object: object, event_object_id: id }: typeof Webhook.Type) => {
  const hint = (what: "account" | "transfer" | "other", of: string) => ({ _tag: "Hint", what, about: of }) as const
  if (category === "transfer") return hint("transfer", object?.client_reference_id ?? id ?? "")
  if (category.startsWith("virtual_account") && object?.customer_id && object.virtual_account_id) {
    return hint("account", accountId(object.customer_id, object.virtual_account_id))
  }
  return hint("other", id ?? "")
}

/**
 * Reads Bridge's webhooks: `X-Webhook-Signature: t=<milliseconds>,v0=<base64>`, RSA with SHA-256 under the endpoint's key.
 *
 * **Details**
 *
 * What is signed is `t`, a dot and the raw body; or, as Bridge's own test data show, the SHA-256 of that. Either is proof
 * of the key, so either is taken.
 */
export const readBridgeHint =
  (publicKeys: ReadonlyArray<string>): ReadHint =>
  (request) =>
    Effect.gen(function* () {
      const match = header.exec(request.headers["x-webhook-signature"] ?? "")
      const [, time, base64] = match ?? []
      if (time === undefined || base64 === undefined) return untrusted("X-Webhook-Signature is missing or malformed")
      const now = yield* Clock.currentTimeMillis
      if (Math.abs(now - Number(time)) > toleranceMs) return untrusted("the time is too far from now")
      const signed = Buffer.concat([Buffer.from(`${time}.`), request.body])
      const digest = createHash("sha256").update(signed).digest()
      const signature = Buffer.from(base64, "base64")
      const genuine = publicKeys.some((key) => isSignedBy(key, digest, signature) || isSignedBy(key, signed, signature))
      if (!genuine) return untrusted("the signature is wrong")
      return Option.match(decodeWebhook(new TextDecoder().decode(request.body)), {
        onNone: () => ({ _tag: "Hint", what: "other", about: "" }) as const,
        onSome: about
      })
    })
