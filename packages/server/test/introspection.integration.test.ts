import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Partner } from "./support/Partner.ts"

layer(Partner.layer(), { excludeTestServices: true })("introspection", (it) => {
  it.effect("says whose key it is", () =>
    Effect.gen(function* () {
      const { seeder, send } = yield* Partner
      const tenant = yield* seeder.tenant()
      const key = yield* seeder.key(tenant, ["quotes:read"])
      const { body, headers, status } = yield* send("GET", "/v1/whoami", { key })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, {
        tenant: { id: tenant, slug: "tenant-1", kind: "LIVE", status: "ACTIVE" },
        key: { prefix: key.slice(0, "bsr_test_12345678".length), label: "test", scopes: ["quotes:read"] },
        payout_wallets: {}
      })
      assert.isDefined(headers["x-request-id"])
    })
  )

  it.effect("tells the limits of a key that no ceiling lowers", () =>
    Effect.gen(function* () {
      const { seeder, send } = yield* Partner
      const key = yield* seeder.key(yield* seeder.tenant(), ["quotes:read"])
      const { body } = yield* send("GET", "/v1/limits", { key })
      assert.deepStrictEqual(body, {
        requests: {
          reads_per_minute: 600,
          writes_per_minute: 120,
          tenant_ceiling_per_minute: null,
          window_seconds: 60,
          idempotency_key_max_length: 255,
          quote_lifetime_seconds: 60
        },
        money: {
          withdrawal_limit_usd: "50000.00",
          withdrawal_spent_usd: "0.00",
          withdrawal_remaining_usd: "50000.00",
          withdrawal_window_hours: 24
        }
      })
    })
  )
})
