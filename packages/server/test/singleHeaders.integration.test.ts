import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Operator } from "./support/Operator.ts"
import { settings } from "./support/Partner.ts"
import { rawRequest } from "./support/rawRequest.ts"

layer(Operator.layer, { excludeTestServices: true })("a header that stands twice", (it) => {
  it.effect("is refused where the first would be believed and a proxy may have looked at the second", () =>
    Effect.gen(function* () {
      const { operatorUrl, partnerUrl, seeder } = yield* Operator
      const key = yield* seeder.key(yield* seeder.tenant())
      const twice = [
        "host: evil.example",
        "HOST: api.example.test",
        `authorization: Bearer other`,
        "content-type: text/plain"
      ]
      const partner = [`authorization: Bearer ${key}`, "content-type: application/json"]
      const operator = [
        `authorization: Bearer ${Redacted.value(settings.operatorToken)}`,
        "content-type: application/json"
      ]
      for (const [url, path, headers] of [
        [partnerUrl, "/v1/whoami", partner],
        [operatorUrl, "/operator/v1/tenants", operator]
      ] as const) {
        assert.match((yield* rawRequest(url, "GET", path, headers)).head, /^HTTP\/1\.1 200 /u)
        for (const again of twice) {
          const { body, head } = yield* rawRequest(url, "GET", path, [...headers, again])
          assert.match(head, /^HTTP\/1\.1 400 /u, again)
          assert.match(head, /x-request-id: /u)
          assert.include(body, '"code":"malformed_request"')
        }
      }
    })
  )
})
