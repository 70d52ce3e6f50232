import { beginningAccount } from "@bursar/core/granting/beginningAccount"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { Vault } from "@bursar/core/port/Vault"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { makeFakeNetwork } from "@bursar/testkit/fixtures/FakeNetwork"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const tenantId = TenantId("019845e1-682f-7b02-a706-3b2422d13aec")

/** A vault that has the public sides of one seed alone. */
const vault = {
  createSeed: (id: TenantId) => Effect.succeed(`seed of ${id}`),
  publicAccount: (id: TenantId, seedId: string, network: string) =>
    Effect.succeed(
      id === tenantId && seedId === `seed of ${id}` ? (network === "stellar" ? "0a0b" : "xpub") : "strange"
    )
} as unknown as Vault["Service"] // all of it that is asked for

const beginning = (network: "ethereum" | "stellar", addresses: ReadonlyArray<string>) => {
  const { keys } = makeFakeNetwork("ethereum", {
    keys: { addressesOf: (publicKey) => addresses.map((address) => `${address}${publicKey.join()}`) }
  })
  return Effect.provideService(beginningAccount(tenantId, { keys, traits: presetNetworks.of(network) }), Vault, vault)
}

describe("the account that the first address of a tenant is issued from", () => {
  it.effect("is the extended public key of its seed, and on stellar the address of its account", () =>
    Effect.gen(function* () {
      const seedId = `seed of ${tenantId}`
      assert.deepStrictEqual(yield* beginning("ethereum", ["G"]), { seedId, accountKey: "xpub", nextIndex: 0 })
      assert.deepStrictEqual(yield* beginning("stellar", ["G", "H"]), { seedId, accountKey: "G10,11", nextIndex: 0 })
      assert.isUndefined(yield* beginning("stellar", []))
    })
  )
})
