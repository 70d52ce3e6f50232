import { addSigningKey } from "@bursar/core/signature/signingKeyCommands"
import { Tenants } from "@bursar/core/port/Tenants"
import { emptyState } from "@bursar/memory"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { directoryTtlDefault, ServerConfig } from "../../src/config/ServerConfig.ts"
import * as Directory from "../../src/keys/Directory.ts"
import { makeSeeder, portsOver, settings } from "../support/Partner.ts"
import { idOfKey } from "../support/signing.ts"

const environment = Layer.suspend(() => {
  const ports = portsOver(emptyState())
  const config = Layer.succeed(ServerConfig, { ...settings, directoryTtl: directoryTtlDefault })
  return Directory.layer.pipe(Layer.provideMerge(Layer.merge(ports, config)))
})

describe("a row that somebody has made unreadable", () => {
  const lists: ReadonlyArray<unknown> = ["0.0.0.0/0", 5, {}, [5], [["10.0.0.1"]], [null]]
  for (const list of lists)
    it.effect(`admits nobody as the allowlist ${JSON.stringify(list)}, and keeps no other tenant out`, () =>
      Effect.gen(function* () {
        const seeder = yield* makeSeeder
        const directory = yield* Directory.Directory
        const whole = yield* seeder.tenant({ policy: { ipAllowlist: ["10.0.0.0/8"] } })
        const key = yield* seeder.key(whole)
        // the row of a tenant holds whatever somebody has written
        const broken = yield* seeder.tenant({ policy: { ipAllowlist: list as ReadonlyArray<string> } })
        const brokenKey = yield* seeder.key(broken)
        assert.isTrue(yield* directory.isListed("10.0.0.7", yield* Clock.currentTimeMillis))
        assert.isFalse(yield* directory.isListed("192.0.2.1", yield* Clock.currentTimeMillis))
        assert.isTrue((yield* directory.authenticate(key, yield* Clock.currentTimeMillis))?.admits("10.0.0.7"))
        const found = yield* directory.authenticate(brokenKey, yield* Clock.currentTimeMillis)
        assert.strictEqual(found?.tenant.id, broken)
        assert.isFalse(found?.admits("10.0.0.7"))
      }).pipe(Effect.provide(environment))
    )

  it.effect("admits nobody where the tenant cannot be read at all, and keeps no other tenant out", () =>
    Effect.gen(function* () {
      const seeder = yield* makeSeeder
      yield* seeder.tenant({ policy: { ipAllowlist: ["10.0.0.0/8"] } })
      const broken = yield* seeder.tenant({ policy: { ipAllowlist: ["192.0.2.0/24"] } })
      const read = yield* Tenants
      const list = Effect.map(read.list, ({ tenants }) => ({
        tenants: tenants.filter(({ id }) => id !== broken),
        unreadable: [{ id: broken, problem: "the database gave string where ACTIVE was expected" }]
      }))
      const partly = Layer.fresh(Directory.layer).pipe(Layer.provide(Layer.succeed(Tenants, { ...read, list })))
      const admitted = yield* Effect.gen(function* () {
        const directory = yield* Directory.Directory
        const now = yield* Clock.currentTimeMillis
        return [yield* directory.isListed("10.0.0.7", now), yield* directory.isListed("192.0.2.1", now)]
      }).pipe(Effect.provide(partly))
      assert.deepStrictEqual(admitted, [true, false])
    }).pipe(Effect.provide(environment))
  )

  it.effect("signs nothing as a signing key, and the tenant's other keys do", () =>
    Effect.gen(function* () {
      const seeder = yield* makeSeeder
      const directory = yield* Directory.Directory
      const tenant = yield* seeder.tenant()
      const apiKeyId = idOfKey(yield* seeder.key(tenant))
      const publicKey = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
      yield* seeder.submit(tenant, addSigningKey({ apiKeyId, keyid: "broken", publicKey: "no key" }))
      yield* seeder.submit(tenant, addSigningKey({ apiKeyId, keyid: "whole", publicKey }))
      assert.isUndefined(yield* directory.signingKey(tenant, apiKeyId, "broken", yield* Clock.currentTimeMillis))
      assert.isDefined(yield* directory.signingKey(tenant, apiKeyId, "whole", yield* Clock.currentTimeMillis))
    }).pipe(Effect.provide(environment))
  )
})
