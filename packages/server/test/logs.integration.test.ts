import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Partner, settings } from "./support/Partner.ts"
import { Redacted } from "effect"
import { addressOf } from "./support/written.ts"

layer(Partner.layer(), { excludeTestServices: true })("the log", (it) => {
  it.effect("has one line per request and nothing of what it carried", () =>
    Effect.gen(function* () {
      const { seeder, logged, send } = yield* Partner
      const tenant = yield* seeder.tenant()
      const key = yield* seeder.key(tenant)
      const secrets = ["idempotency-secret", "reference-secret", "cursor-secret", addressOf(0xdead), "junk-key-secret"]
      const headers = { "idempotency-key": secrets[0] ?? "", "x-request-id": "logged-1" }
      yield* send("POST", "/v1/deposit-addresses", {
        key,
        headers,
        body: { addresses: [{ network: "ethereum", address: secrets[3], reference: secrets[1] }] }
      })
      yield* send("POST", "/v1/deposit-addresses", { key, headers, raw: `{"reference-secret` })
      yield* send("POST", "/v1/deposit-addresses", { key, headers, body: { "reference-secret": 1 } })
      yield* send("GET", `/v1/operations/by-key/${secrets[0]}`, { key })
      yield* send("GET", `/v1/register?cursor=${secrets[2]}`, { key })
      yield* send("GET", "/v1/whoami", { key: secrets[4] ?? "" })
      yield* send("GET", `/v1/nothing/${secrets[0]}`, { key })
      const lines = logged.map(
        (line): { readonly message: string; readonly annotations: { readonly [key: string]: unknown } } =>
          JSON.parse(line)
      )
      assert.strictEqual(lines.length, 7)
      for (const { message } of lines) assert.strictEqual(message, "request.answered")
      assert.deepStrictEqual(
        lines.map(({ annotations }) => [annotations["tenant"], annotations["route"], annotations["status"]]),
        [
          ["tenant-1", "POST /v1/deposit-addresses", 200],
          ["tenant-1", "POST /v1/deposit-addresses", 400],
          ["tenant-1", "POST /v1/deposit-addresses", 422],
          ["tenant-1", "GET /v1/operations/by-key/:key", 200],
          ["tenant-1", "GET /v1/register", 422],
          [null, "GET /v1/whoami", 401],
          [null, "GET (no route)", 404]
        ]
      )
      assert.strictEqual(lines[0]?.annotations["request_id"], "logged-1")
      assert.isNumber(lines[0]?.annotations["duration_ms"])
      const all = logged.join("\n")
      const hidden = [
        ...secrets,
        key,
        key.slice(-20),
        Redacted.value(settings.keyPepper),
        Redacted.value(settings.cursorSecret),
        "ethereum"
      ]
      for (const secret of hidden) assert.notInclude(all, secret)
    })
  )
})
