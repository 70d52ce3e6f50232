import { ApiKey } from "@bursar/core/access/ApiKey"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Operator } from "./support/Operator.ts"
import { stored } from "./support/stored.ts"

it.live(
  "a key of an earlier version is sealed as whoever seals it has seen it, and not as a thief has changed it since",
  () =>
    Effect.gen(function* () {
      const { operate, seeder, state } = yield* Operator
      const id = yield* seeder.tenant()
      const path = `/operator/v1/tenants/${id}/keys`
      const scopes = ["deposits:read", "events:read"]
      const made = yield* operate("POST", path, { body: { label: "of an earlier version", scopes } })
      const keys = stored(state, TenantId(id), ApiKey)
      const key = keys.get(made.body.id)
      if (key === undefined) return yield* Effect.die("there is no key")
      const sealing = (seen: Readonly<Record<string, string>>) =>
        operate("POST", `${path}/${key.id}/seal?${new URLSearchParams(seen)}`)
      const seen = { scopes: "events:read, deposits:read", expires_at: "never" }
      for (const changed of [
        { scopes: ["chain_payouts:write"] },
        { scopes: [...scopes, "x:y"] },
        { expiresAt: 2e12 }
      ]) {
        keys.set(key.id, { ...key, seal: null, ...changed })
        const refused = yield* sealing(seen)
        assert.deepStrictEqual([refused.status, refused.body.error.code], [409, "state_conflict"])
        assert.isNull(keys.get(key.id)?.seal ?? null)
      }
      keys.set(key.id, { ...key, seal: null, expiresAt: 2e12 })
      assert.strictEqual((yield* sealing({ ...seen, expires_at: "2027-01-01T00:00:00Z" })).status, 409)
      assert.strictEqual((yield* sealing({ ...seen, expires_at: "tomorrow" })).status, 422)
      const until = yield* sealing({ ...seen, expires_at: new Date(2e12).toISOString() })
      assert.isTrue(until.body.sealed, until.text)
      keys.set(key.id, { ...key, seal: null })
      const sealed = yield* sealing(seen)
      assert.isTrue(sealed.body.sealed, sealed.text)
      return undefined
    }).pipe(Effect.provide(Operator.layer))
)
