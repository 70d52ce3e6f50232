import { createHmac } from "node:crypto"
import { verifyWebhook } from "@bursar/client/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
const now = 1_800_000_000_000
const body = JSON.stringify({
  id: 7,
  type: "deposit.confirmed",
  resource: { type: "deposit", id: "019845e1-682f-7b02-a706-3b2422d13aec" },
  occurred_at: "2027-01-15T08:00:00.000Z",
  data: { amount: "1.50", currency: "USDT_ETH" }
})

const signed = (timestamp: string, text: string, key = secret) =>
  `v1=${createHmac("sha256", key).update(`${timestamp}.${text}`).digest("hex")}`

const verify = ({
  headers = {},
  rawBody = body,
  secrets = [secret],
  at = now,
  serviceName
}: {
  headers?: Record<string, string>
  rawBody?: string | Uint8Array
  secrets?: ReadonlyArray<string>
  at?: number
  serviceName?: string
}) =>
  verifyWebhook({
    rawBody,
    secrets,
    now: at,
    header: (name) =>
      ({ "x-service-timestamp": "1800000000", "x-service-signature": signed("1800000000", body), ...headers })[name],
    ...(serviceName === undefined ? {} : { serviceName })
  })

const problem = async (...parameters: Parameters<typeof verify>) => {
  const verdict = await verify(...parameters)
  return Result.isFailure(verdict) ? verdict.failure : "trusted"
}

describe("verifyWebhook", () => {
  it("trusts a delivery signed by any of the secrets, as text or bytes", async () => {
    for (const rawBody of [body, new TextEncoder().encode(body)]) {
      const verdict = await verify({ rawBody, secrets: ["whsec_old", secret] })
      assert.strictEqual(Result.getOrThrow(verdict).id, 7)
    }
  })

  it("takes bytes as `request.arrayBuffer()` gives them, and rejects for what was parsed", async () => {
    // plain JavaScript may give either
    const loose = (rawBody: unknown) => problem({ rawBody: rawBody as string })
    assert.strictEqual(await loose(new TextEncoder().encode(body).buffer), "trusted")
    const error: unknown = await loose(JSON.parse(body)).catch((error: unknown) => error)
    assert.instanceOf(error, TypeError)
  })

  it("reads the headers of a service with a name of its own", async () => {
    const headers = { "x-acme-timestamp": "1800000000", "x-acme-signature": signed("1800000000", body) }
    assert.strictEqual(await problem({ headers, serviceName: "acme" }), "trusted")
  })

  it("rejects a changed body, another secret and another scheme", async () => {
    assert.strictEqual(await problem({ rawBody: body.replace("1.50", "9.50") }), "signature_wrong")
    assert.strictEqual(await problem({ secrets: ["whsec_other"] }), "signature_wrong")
    assert.strictEqual(await problem({ secrets: [] }), "signature_wrong")
    assert.strictEqual(await problem({ secrets: [""] }), "signature_wrong")
    assert.strictEqual(
      await problem({ headers: { "x-service-signature": signed("1800000000", body).replace("v1", "v2") } }),
      "headers_missing"
    )
  })

  it("rejects a timestamp more than 300 seconds away, and one that was not signed", async () => {
    assert.strictEqual(await problem({ at: now + 300_000 }), "trusted")
    assert.strictEqual(await problem({ at: now + 301_000 }), "timestamp_too_far")
    assert.strictEqual(await problem({ at: now - 301_000 }), "timestamp_too_far")
    assert.strictEqual(await problem({ headers: { "x-service-timestamp": "1800000001" } }), "signature_wrong")
  })

  it("rejects missing and garbled headers", async () => {
    for (const headers of [
      { "x-service-timestamp": "" },
      { "x-service-timestamp": "now" },
      { "x-service-signature": "" },
      { "x-service-signature": "v1=zz" }
    ])
      assert.strictEqual(await problem({ headers }), "headers_missing")
  })

  it("rejects a signed body that is not an event", async () => {
    assert.strictEqual(
      await problem({ rawBody: "{}", headers: { "x-service-signature": signed("1800000000", "{}") } }),
      "body_unreadable"
    )
  })
})
