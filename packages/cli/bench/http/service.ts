import { localCurrencies } from "../../test/support/localCurrencies.ts"
import { paymentOnce } from "../payment.ts"
import { keyed } from "../../test/support/keyed.ts"
import { generateSigningKey } from "@bursar/api/signature/Ed25519"
import { addApiKey } from "@bursar/core/access/tenantCommands"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { proposeDestination, verifyDestination } from "@bursar/core/destination/destinationCommands"
import { Writer } from "@bursar/core/engine/Writer"
import { of } from "@bursar/core/money/Amount"
import { adapterOf, Networks } from "@bursar/core/port/Networks"
import { Prices } from "@bursar/core/port/Prices"
import { RateLimits, type RateWindow } from "@bursar/core/port/RateLimits"
import { Tenants } from "@bursar/core/port/Tenants"
import { Vault } from "@bursar/core/port/Vault"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { addSigningKey } from "@bursar/core/signature/signingKeyCommands"
import { defaultPolicy, TenantId } from "@bursar/core/tenant/Tenant"
import { ServerConfig } from "@bursar/server/config/ServerConfig"
import { makeKey } from "@bursar/server/keys/makeKey"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { Clock, Effect, Layer, Redacted } from "effect"
import { idleLocalNodes, layerNetworksAlone } from "../../test/support/idleNodes.ts"
import { localNetworks } from "../../test/support/localCurrencies.ts"
import { layerVault } from "../../src/assemble/vault.ts"

const config = Layer.succeed(
  ServerConfig,
  ServerConfig.of({
    serviceName: "service",
    keyPrefix: "service",
    publicAuthorities: [],
    trustedProxies: [],
    keyPepper: Redacted.make("p".repeat(32)),
    cursorSecret: Redacted.make("c".repeat(32)),
    operatorToken: Redacted.make("t".repeat(32)),
    currencies: localCurrencies,
    directoryTtl: "4 seconds"
  })
)

const widened = new WeakMap<ReadonlyArray<RateWindow>, ReadonlyArray<RateWindow>>()

/** The same windows, a million times as wide. A server asks with the same ones again and again, and so does this. */
const wide = (windows: ReadonlyArray<RateWindow>): ReadonlyArray<RateWindow> => {
  const known = widened.get(windows) ?? windows.map((window) => ({ ...window, limit: window.limit * 1_000_000 }))
  widened.set(windows, known)
  return known
}

/** The limits as they are kept, but a million times as wide, so that counting is measured and nothing is refused. */
const wideLimits = Layer.effect(
  RateLimits,
  Effect.map(RateLimits, (limits) => RateLimits.of({ take: (windows, now) => limits.take(wide(windows), now) }))
)

/** Every address can be paid, as a node says that answers at once: what a node takes for it is none of the server's time. */
const payable = Layer.effect(
  Networks,
  Effect.map(Networks, (networks) =>
    Networks.of({
      ...networks,
      get: (name) => {
        const found = networks.get(name)
        const preflight = () => Effect.succeed({ _tag: "Payable" as const })
        return found && { ...found, sender: { ...found.sender, preflight } }
      }
    })
  )
).pipe(Layer.provide(layerNetworksAlone(idleLocalNodes, localCurrencies)))

const dollar = Effect.map(Clock.currentTimeMillis, (observedAt) => ({
  price: { units: 1n, decimals: 0 },
  source: "bench",
  observedAt
}))

/** What the server needs beside its storage: everything is there, and answers at once. */
export const outside = Layer.mergeAll(
  config,
  wideLimits,
  payable,
  layerVault({
    currencies: localCurrencies,
    masterKeys: Redacted.make(`bench:${Buffer.alloc(32, 1).toString("base64")}`)
  }),
  Layer.succeed(Prices, Prices.of({ usd: () => dollar, rate: () => dollar })),
  makeFakeCustodian(
    () => ({ order: "settled", unreadable: 0, pending: 0, end: "settled" }),
    [],
    undefined,
    "bench",
    "SANDBOX"
  ).layer
)

/** How many operations and events there are to be listed at least. */
const listedRows = 100

/** A tenant that may do all that is measured, without end, and what it calls with. */
export const openClient = Effect.gen(function* () {
  const [writer, tenants, vault, networks] = [yield* Writer, yield* Tenants, yield* Vault, yield* Networks]
  const { keyPepper } = yield* ServerConfig
  const id = TenantId(crypto.randomUUID())
  const unlimited = {
    payoutLimitUsd: null,
    payoutDailyLimitUsd: null,
    payoutNewAddressLimitUsd: null,
    payoutReviewUsd: null,
    destinationCoolingHours: 0,
    withdrawalLimitUsd: "1000000000000"
  }
  yield* tenants.create({
    id,
    slug: "http",
    name: "http",
    kind: "SANDBOX",
    status: "ACTIVE",
    policy: { ...defaultPolicy, ...unlimited, ipAllowlist: null },
    createdAt: yield* Clock.currentTimeMillis
  })
  for (const place of ["custodian", "chain:ethereum:payouts"] as const)
    yield* writer.submit(id, adjustFloat({ amount: of(10n ** 30n, "USDC_ETH"), against: place, reason: "bench" }))
  yield* writer.submit(id, adjustFloat({ amount: of(10n ** 9n, "USDT_ETH"), against: "custodian", reason: "bench" }))
  // what the lists show, with an event each
  const paid = Array.from({ length: listedRows }, () => writer.submit(id, paymentOnce(crypto.randomUUID())))
  yield* Effect.all(paid, { concurrency: "unbounded", discard: true })
  const destination = yield* writer.submit(
    id,
    proposeDestination({
      currency: "USDC_ETH",
      network: "ethereum",
      address: "0x00000000000000000000000000000000000000aa",
      memo: null,
      label: "bench",
      by: "ann"
    })
  )
  yield* writer.submit(id, verifyDestination(destination.id, "bob"))
  const seedId = yield* vault.createSeed(id)
  const publicKey = yield* vault.publicKey({ _tag: "Wallet", tenantId: id, seedId, network: "ethereum", index: 0 })
  const [address = ""] = adapterOf(networks, "ethereum").keys.addressesOf(publicKey)
  yield* writer.submit(
    id,
    addWallet({ network: "ethereum", role: "PAYOUT", seedId, index: 0, ...keyed(address) }, localNetworks)
  )
  const key = yield* makeKey({
    prefix: "service",
    tenant: { id, kind: "SANDBOX" },
    label: "bench",
    scopes: ["register:read", "events:read", "deposits:write", "withdrawals:write", "chain_payouts:write"],
    pepper: keyPepper
  })
  yield* writer.submit(id, addApiKey(key.record))
  const { keyid, privateJwk, publicJwk } = yield* generateSigningKey
  yield* writer.submit(id, addSigningKey({ apiKeyId: key.record.id, keyid, publicKey: publicJwk.x }))
  return { headers: { authorization: `Bearer ${Redacted.value(key.secret)}` }, signer: { keyid, privateJwk } }
})
