import { addressItem, keysAt } from "@bursar/testkit/fixtures/deposits"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { layer as layerWriter, Writer } from "@bursar/core/engine/Writer"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Tenants } from "@bursar/core/port/Tenants"
import { defaultPolicy, TenantId } from "@bursar/core/tenant/Tenant"
import { layer as layerMemory } from "@bursar/memory"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

const tenantId = TenantId("019845e1-682f-7b02-a706-3b2422d13aec")
const own = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"
const other = "0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0"

it.effect("what an address sends to itself does not arrive: its coins would be credited without end", () =>
  Effect.gen(function* () {
    const writer = yield* Writer
    yield* (yield* Tenants).create({
      id: tenantId,
      slug: "self",
      name: "self",
      kind: "LIVE",
      status: "ACTIVE",
      policy: defaultPolicy,
      createdAt: 0
    })
    const [registered] = yield* writer.submit(tenantId, registerAddresses([addressItem(own)]))
    assert.strictEqual(registered?.status, "registered")
    const addressId = registered?.status === "registered" ? registered.address.id : ""
    const incomingTransfers = [own, other, null].map((fromAddress, transferIndex) => ({
      network: "ethereum" as const,
      txHash: "0x01",
      transferIndex,
      addressId,
      address: own,
      keys: keysAt(own),
      currency: "ETH",
      units: 1n,
      fromAddress,
      block: { number: 1, hash: "0xb1", time: 1 },
      confirmations: 1
    }))
    const recorded = yield* writer.submit(
      tenantId,
      recordIncomingTransfers({ network: "ethereum", requiredConfirmations: 1, incomingTransfers }, defaultCurrencies)
    )
    assert.deepStrictEqual(
      recorded.map((deposit) => deposit.fromAddress),
      [other, null]
    )
  }).pipe(Effect.provide(Layer.provideMerge(layerWriter, layerMemory)))
)
