import type { ProviderRequest, ReadHint } from "@bursar/core/port/ProviderHint"
import { Effect, Option, Redacted, Schema } from "effect"
import { createHmac, timingSafeEqual } from "node:crypto"
import { Webhook } from "./internal/wire.ts"

/** What `x-payload-digest-alg` may say. Sumsub also offers HMAC-SHA-1, which is refused. */
const algorithms: Readonly<Record<string, "sha256" | "sha512">> = {
  HMAC_SHA256_HEX: "sha256",
  HMAC_SHA512_HEX: "sha512"
}

const decodeWebhook = Schema.decodeUnknownOption(Schema.fromJsonString(Webhook))

const isSigned = (
  secret: string,
  algorithm: "sha256" | "sha512",
  { body }: ProviderRequest,
  digest: string
): boolean => {
  const expected = createHmac(algorithm, secret).update(body).digest()
  const given = /^(?:[0-9a-f]{2})+$/iu.test(digest) ? Buffer.from(digest, "hex") : Buffer.alloc(0)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const untrusted = (reason: string) => ({ _tag: "Untrusted", reason }) as const

/**
 * Reads Sumsub's webhooks: `x-payload-digest` is an HMAC of the raw body, `x-payload-digest-alg` says with which hash.
 * Their signature holds no time, so an old one can come again; it leads to nothing but one more reading of the applicant.
 */
export const readSumsubHint =
  (webhookSecret: Redacted.Redacted): ReadHint =>
  (request) =>
    Effect.sync(() => {
      const name = request.headers["x-payload-digest-alg"] ?? ""
      const algorithm = Object.hasOwn(algorithms, name) ? algorithms[name] : undefined
      if (algorithm === undefined) {
        return untrusted("x-payload-digest-alg is neither HMAC_SHA256_HEX nor HMAC_SHA512_HEX")
      }
      const digest = request.headers["x-payload-digest"]
      if (digest === undefined) return untrusted("x-payload-digest is missing")
      if (!isSigned(Redacted.value(webhookSecret), algorithm, request, digest)) return untrusted("the digest is wrong")
      return Option.match(decodeWebhook(new TextDecoder().decode(request.body)), {
        onNone: () => ({ _tag: "Hint", what: "other", about: "" }) as const,
        onSome: ({ applicantId }) => ({ _tag: "Hint", what: "applicant", about: applicantId }) as const
      })
    })
