import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Result } from "effect"
import { generateSigningKey, importPublicKey } from "../../src/signature/Ed25519.ts"
import { verifyRequest } from "../../src/signature/verifyRequest.ts"

const guide = readFileSync(new URL("../../../../docs/guides/signing.md", import.meta.url), "utf8")

it.live("what the guide signs without the client is verified", () =>
  Effect.gen(function* () {
    const code = /```js\n(.*?)```/su.exec(guide)?.[1] ?? ""
    const { signatureHeaders } = yield* Effect.promise(
      () => import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`)
    )
    const { privateJwk, publicJwk } = yield* generateSigningKey
    const headers: Record<string, string> = { "idempotency-key": "k", "content-type": "application/json" }
    const body = JSON.stringify({ amount: "12.5 €" })
    const url = "https://API.example.test/v1/chain-payouts"
    const sent: Record<string, string> = {
      host: "api.example.test",
      ...headers,
      ...signatureHeaders(privateJwk, { method: "POST", url, headers, body })
    }
    const key = yield* importPublicKey(publicJwk)
    const { outcome } = yield* verifyRequest(
      {
        method: "POST",
        target: "/v1/chain-payouts",
        header: (name) => sent[name],
        body: new TextEncoder().encode(body)
      },
      { isOurs: () => true, findKey: () => Effect.succeed(key), now: yield* Clock.currentTimeMillis }
    )
    assert.strictEqual(Result.isFailure(outcome) ? outcome.failure.message : "verified", "verified")
  })
)
