import { Tenants } from "@bursar/core/port/Tenants"
import { Vault, VaultError } from "@bursar/core/port/Vault"
import { defaultPolicy, TenantId } from "@bursar/core/tenant/Tenant"
import { layer as layerPostgres } from "@bursar/postgres"
import { createDatabase, dropDatabase } from "@bursar/simulator-postgres/admin"
import { postgresUrl } from "@bursar/simulator-postgres/testing/postgresUrl"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { holdCeremony, restore } from "../src/assemble/ceremony.ts"
import { layerVault } from "../src/assemble/vault.ts"
import { bursar } from "./support/bursar.ts"
import { localCurrencies } from "./support/localCurrencies.ts"
import { tempDir } from "./support/tempDir.ts"
import { migratedDatabase } from "./support/world.ts"

const networks = ["ethereum", "bitcoin", "tron", "stellar"]

/** The vault of a service on this database, under this master key; its connections end with the scope. */
const vaultOn = (url: string, masterKey: string): Effect.Effect<Vault["Service"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const storage = layerPostgres({ url: Redacted.make(url), maxConnections: 2 })
    const vault = layerVault({ currencies: localCurrencies, masterKeys: Redacted.make(masterKey.trim()) })
    return Context.get(yield* Layer.build(Layer.provide(vault, storage)), Vault)
  }).pipe(Effect.orDie)

/** Everything public that follows from a tenant's seed: its accounts, and the first keys that it is paid to and pays from. */
const derived = Effect.fnUntraced(function* (vault: Vault["Service"], tenantId: TenantId, seedId: string) {
  const found: Record<string, string> = {}
  for (const network of networks) {
    found[network] = yield* vault.publicAccount(tenantId, seedId, network)
    for (const _tag of ["Wallet", "Issued"] as const)
      for (const index of [0, 1, 7]) {
        const key = yield* vault.publicKey({ _tag, tenantId, seedId, network, index })
        found[`${network} ${_tag} ${index}`] = Buffer.from(key).toString("hex")
      }
  }
  return found
})

/** A service whose master key was made in a ceremony, and which is lost but for a copy of its database and the shares. */
const lost = Effect.gen(function* () {
  const [{ url }, folder] = [yield* migratedDatabase, yield* tempDir]
  const held = yield* holdCeremony(
    { folder: join(folder, "ceremony"), keyId: "first", shares: 5, needed: 3, wrap: undefined },
    {}
  )
  const tenantId = TenantId(crypto.randomUUID())
  const before = yield* Effect.gen(function* () {
    const ports = yield* Layer.build(layerPostgres({ url: Redacted.make(url), maxConnections: 2 }))
    yield* Context.get(ports, Tenants).create({
      id: tenantId,
      slug: "acme",
      name: "Acme",
      kind: "SANDBOX",
      status: "ACTIVE",
      policy: defaultPolicy,
      createdAt: 0
    })
    const vault = yield* vaultOn(url, readFileSync(held.master_key, "utf8"))
    const seedId = yield* vault.createSeed(tenantId)
    return { seedId, found: yield* derived(vault, tenantId, seedId) }
  }).pipe(Effect.scoped)
  const [server, original] = [postgresUrl(), new URL(url).pathname.slice(1)]
  const backup = `backup_${original}`
  const restored = yield* Effect.acquireRelease(createDatabase(server, backup, original), () =>
    Effect.ignore(dropDatabase(server, backup))
  )
  yield* dropDatabase(server, original)
  return { folder, held, restored, tenantId, ...before }
})

/** All choices of so many of them. */
const choices = <A>(all: ReadonlyArray<A>, count: number): ReadonlyArray<ReadonlyArray<A>> =>
  count === 0
    ? [[]]
    : all.flatMap((one, index) => choices(all.slice(index + 1), count - 1).map((rest) => [one, ...rest]))

describe("a copy of the database and shares of the master key", () => {
  it.live("restore every seed and address, whichever three of the five shares are there", () =>
    Effect.gen(function* () {
      const { folder, found, held, restored, seedId, tenantId } = yield* lost
      const quorums = choices(held.share_files, 3)
      assert.lengthOf(quorums, 10)
      for (const [index, paths] of quorums.entries()) {
        const out = join(folder, `restored-${index}`)
        // once as a person does it
        if (index === 0) {
          const shares = paths.flatMap((path) => ["--share", path])
          const ended = yield* bursar(["vault", "restore", ...shares, "--out", out])
          assert.strictEqual(ended.code, 0, ended.stderr)
        } else yield* restore({ paths, out, wrap: undefined }, {})
        const again = yield* Effect.scoped(
          Effect.flatMap(vaultOn(restored, readFileSync(out, "utf8")), (vault) => derived(vault, tenantId, seedId))
        )
        assert.deepStrictEqual(again, found)
      }
      assert.lengthOf(Object.keys(found), networks.length * 7)
      // the addresses of stellar have one key, and memos
      assert.isAtLeast(new Set(Object.values(found)).size, networks.length * 6)
    }).pipe(Effect.scoped)
  )

  it.live("open nothing with two shares, with another key of the same name, or with a share of another ceremony", () =>
    Effect.gen(function* () {
      const { folder, held, restored, seedId, tenantId } = yield* lost
      const out = join(folder, "restored")
      const refusal = (paths: ReadonlyArray<string>) =>
        Effect.map(Effect.flip(restore({ paths, out, wrap: undefined }, {})), ({ message }) => message)
      for (const paths of choices(held.share_files, 2))
        assert.include(yield* refusal(paths), "3 shares restore the key, and 2 were given")

      const other = yield* holdCeremony(
        { folder: join(folder, "other"), keyId: "first", shares: 5, needed: 3, wrap: undefined },
        {}
      )
      const [one = "", two = "", three = ""] = held.share_files
      const mixed = yield* refusal([one, two, other.share_files[2] ?? ""])
      assert.include(mixed, `Share 3 of ceremony ${other.ceremony}`)
      assert.include(yield* refusal([one, two, two]), "Share 2 is given twice")
      assert.isFalse(existsSync(out))

      const strange = yield* vaultOn(restored, readFileSync(other.master_key, "utf8"))
      assert.instanceOf(yield* Effect.flip(strange.publicAccount(tenantId, seedId, "ethereum")), VaultError)
      // the shares are good all the same
      yield* restore({ paths: [one, two, three], out, wrap: undefined }, {})
    }).pipe(Effect.scoped)
  )
})
