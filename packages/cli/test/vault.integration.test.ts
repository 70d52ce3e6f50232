import { layer as layerWriter } from "@bursar/core/engine/Writer"
import { Tenants } from "@bursar/core/port/Tenants"
import { Vault } from "@bursar/core/port/Vault"
import { defaultPolicy, TenantId } from "@bursar/core/tenant/Tenant"
import { layer as layerPostgres } from "@bursar/postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { layerVault } from "../src/assemble/vault.ts"
import { bursar } from "./support/bursar.ts"
import { migratedDatabase } from "./support/world.ts"
import { localCurrencies } from "./support/localCurrencies.ts"

const [before, after] = [1, 2].map((fill) => `k${fill}:${Buffer.alloc(32, fill).toString("base64")}`) as [
  string,
  string
]

describe("bursar vault reencrypt", () => {
  it.live("puts every secret under the new master key, once, and says what it lacks", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { url } = yield* migratedDatabase
        const storage = layerWriter.pipe(
          Layer.provideMerge(
            layerPostgres({ url: Redacted.make(url), maxConnections: 2, applicationName: "bursar-cli-test" })
          )
        )
        const services = yield* Layer.build(storage)
        const vaultUnder = (keys: string) =>
          Effect.provide(Vault, layerVault({ currencies: localCurrencies, masterKeys: Redacted.make(keys) })).pipe(
            Effect.provide(services)
          )
        const id = TenantId(crypto.randomUUID())
        yield* Effect.provide(
          Effect.flatMap(Tenants, (tenants) =>
            tenants.create({
              id,
              slug: "acme",
              name: "Acme",
              kind: "SANDBOX",
              status: "ACTIVE",
              policy: defaultPolicy,
              createdAt: 0
            })
          ),
          services
        )
        const seedId = yield* (yield* vaultUnder(before)).createSeed(id)
        const account = yield* (yield* vaultUnder(before)).publicAccount(id, seedId, "tron")
        const run = (keys: string) =>
          bursar(["vault", "reencrypt", "--json"], { env: { DATABASE_URL: url, VAULT_MASTER_KEY: keys } })
        const without = yield* run(after)
        assert.strictEqual(without.code, 1)
        assert.include(without.stderr, "its master key is not here")
        assert.deepStrictEqual(JSON.parse((yield* run(`${after},${before}`)).stdout), {
          master_key: "k2",
          secrets_key: null,
          changed: 1,
          already_current: 0
        })
        assert.deepStrictEqual(JSON.parse((yield* run(`${after},${before}`)).stdout), {
          master_key: "k2",
          secrets_key: null,
          changed: 0,
          already_current: 1
        })
        // what a rehearsal of a restore goes by: a key that is not the right one is found out, also under its id
        const wrong = yield* run(`k2:${Buffer.alloc(32, 9).toString("base64")}`)
        assert.strictEqual(wrong.code, 1)
        assert.include(wrong.stderr, seedId)
        assert.strictEqual(yield* (yield* vaultUnder(after)).publicAccount(id, seedId, "tron"), account)
      })
    )
  )
})
