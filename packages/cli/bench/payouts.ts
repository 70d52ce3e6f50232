import { keyed } from "../test/support/keyed.ts"
import { generateSigningKey } from "@bursar/api/signature/Ed25519"
import { checkTenant } from "@bursar/core/checker/checkTenant"
import * as Writer from "@bursar/core/engine/Writer"
import { of } from "@bursar/core/money/Amount"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { adapterOf, Networks } from "@bursar/core/port/Networks"
import { Queries } from "@bursar/core/store/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import { Vault } from "@bursar/core/port/Vault"
import { addSigningKey } from "@bursar/core/signature/signingKeyCommands"
import { defaultPolicy, TenantId } from "@bursar/core/tenant/Tenant"
import { addApiKey } from "@bursar/core/access/tenantCommands"
import { EvmDevnet } from "@bursar/simulator-evm"
import type { Hex } from "@bursar/simulator-evm/Faucet"
import { layer as postgresLayer } from "@bursar/postgres"
import { makeKey } from "@bursar/server/keys/makeKey"
import { Clock, Effect, Fiber, Layer, Redacted, Schedule } from "effect"
import { join } from "node:path"
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts"
import { idleLocalNodes, layerNetworksAlone } from "../test/support/idleNodes.ts"
import { layerVault } from "../src/assemble/vault.ts"
import { environmentFor } from "../test/support/environmentFor.ts"
import { tempDir } from "../test/support/tempDir.ts"
import type { BareTransfers, Sent } from "./payouts/bareTransfers.ts"
import type { Clients, Posted } from "./payouts/clients.ts"
import { startScript, toldIn } from "./payouts/program.ts"
import { fund, included, receiver, type Transfers, verify } from "./payouts/transfers.ts"
import { localCurrencies, localNetworks } from "../test/support/localCurrencies.ts"

/** Payouts that a key may ask for: the rate of a key is 120 writes a minute, which stays as it is. */
const payoutsPerKey = 100

/** Seconds between blocks, for the service and for the loop. */
const blockSeconds = 1

const secrets = {
  KEY_PEPPER: "p".repeat(32),
  OPERATOR_TOKEN: "t".repeat(32),
  VAULT_MASTER_KEY: `bench:${Buffer.alloc(32, 1).toString("base64")}`,
  SECRETS_KEY: `box:${Buffer.alloc(32, 2).toString("base64")}`
}

const amount = "1.5"
const units = 1_500_000n

/** A tenant without limits, with a payout wallet, that signs its requests, under as many keys as it needs for `count` payouts. */
const openPayer = Effect.fnUntraced(function* (count: number) {
  const [writer, vault, tenants, networks] = [yield* Writer.Writer, yield* Vault, yield* Tenants, yield* Networks]
  const id = TenantId(crypto.randomUUID())
  const unlimited = {
    payoutLimitUsd: null,
    payoutDailyLimitUsd: null,
    payoutNewAddressLimitUsd: null,
    payoutReviewUsd: null
  }
  yield* tenants.create({
    id,
    slug: "payouts",
    name: "payouts",
    kind: "SANDBOX",
    status: "ACTIVE",
    policy: { ...defaultPolicy, ...unlimited, ipAllowlist: null },
    createdAt: yield* Clock.currentTimeMillis
  })
  const seedId = yield* vault.createSeed(id)
  const publicKey = yield* vault.publicKey({ _tag: "Wallet", tenantId: id, seedId, network: "ethereum", index: 0 })
  const [address = ""] = adapterOf(networks, "ethereum").keys.addressesOf(publicKey)
  yield* writer.submit(
    id,
    addWallet({ network: "ethereum", role: "PAYOUT", seedId, index: 0, ...keyed(address) }, localNetworks)
  )
  const { keyid, privateJwk, publicJwk } = yield* generateSigningKey
  const apiKeys = yield* Effect.forEach(
    Array.from({ length: Math.ceil(count / payoutsPerKey) }, (_, at) => `bench ${at}`),
    Effect.fnUntraced(function* (label) {
      const pepper = Redacted.make(secrets.KEY_PEPPER)
      const key = yield* makeKey({
        prefix: "bursar",
        tenant: { id, kind: "SANDBOX" },
        label,
        scopes: ["chain_payouts:write"],
        pepper
      })
      yield* writer.submit(id, addApiKey(key.record))
      yield* writer.submit(id, addSigningKey({ apiKeyId: key.record.id, keyid, publicKey: publicJwk.x }))
      return Redacted.value(key.secret)
    })
  )
  // an address is hexadecimal
  return { id, from: address as Hex, apiKeys, signingKey: privateJwk }
})

/** Makes a block at every interval, and none in between. */
const mineByInterval = ({ faucet }: EvmDevnet.EvmDevnet) =>
  Effect.andThen(faucet.setAutomine(false), faucet.rpc("evm_setIntervalMining", [blockSeconds]))

/** The same transfers by a loop that signs and hands in, so many at a time; from an account of its own. */
const bare = Effect.fnUntraced(function* (transfers: Omit<Transfers, "from">, atOnce: number) {
  const { devnet, to, token } = transfers
  const privateKey = generatePrivateKey()
  const own = { ...transfers, from: privateKeyToAddress(privateKey) }
  yield* devnet.faucet.setAutomine(true)
  yield* fund(own)
  const since = (yield* devnet.faucet.block("latest")).number
  yield* mineByInterval(devnet)
  const { rpcUrl, chainId } = devnet.anvil
  const wanted: BareTransfers = { rpcUrl, chainId, privateKey, token: token.address, units: `${units}`, to, atOnce }
  const loop = yield* startScript("bareTransfers.ts", [yield* toldIn(wanted)])
  // what the script prints is of this form
  const { startedAt } = yield* loop.says((line) => ("startedAt" in line ? (line as unknown as Sent) : undefined))
  const took = (yield* included(own)) - startedAt
  yield* verify(own, since)
  return (to.length * 1_000) / took
}, Effect.scoped)

/** Waits until a tenant's payouts are all settled: their blocks have to be final first. */
const settled = Effect.fnUntraced(function* (id: TenantId, ids: ReadonlyArray<string>) {
  const queries = yield* Queries
  const statuses = Effect.forEach(ids, (one) => queries.operation(id, one), { concurrency: 8 })
  const isDone = Effect.map(statuses, (all) => all.every((one) => one?.status === "SETTLED"))
  yield* Effect.repeat(isDone, { until: (done) => done, schedule: Schedule.spaced("1 second") }).pipe(
    Effect.timeoutOrElse({
      duration: "3 minutes",
      orElse: () => Effect.die(new Error("not every payout was settled within three minutes"))
    })
  )
})

/** What the service takes for `transfers.to`, from the first request to the last inclusion. */
const served = Effect.fnUntraced(function* (
  databaseUrl: string,
  transfers: Omit<Transfers, "from">,
  keysIn: "signer" | "worker"
) {
  const { devnet, to, token } = transfers
  const payer = yield* openPayer(to.length)
  const own = { ...transfers, from: payer.from }
  const writer = yield* Writer.Writer
  const total = of(units * BigInt(to.length), token.code)
  yield* writer.submit(payer.id, adjustFloat({ amount: total, against: "chain:ethereum:payouts", reason: "funded" }))
  yield* devnet.faucet.setAutomine(true)
  yield* fund(own)
  const since = (yield* devnet.faucet.block("latest")).number
  yield* mineByInterval(devnet)
  const folder = yield* tempDir
  const env = {
    ...secrets,
    SIGNER: `unix:${join(folder, "socket")}`,
    SIGNER_STORE: join(folder, "store"),
    DATABASE_URL: databaseUrl,
    HOST: "127.0.0.1",
    PORT: "0",
    OPERATOR_PORT: "0",
    ETHEREUM_RPC_URL: devnet.anvil.rpcUrl,
    ETHEREUM_CHAIN: "local",
    ETHEREUM_CONFIRMATIONS: "3",
    // anvil runs all of a block again for each of its transactions, for seconds, and answers nothing meanwhile
    ETHEREUM_TRACES: "off"
  }
  const signer = yield* keysIn === "signer"
    ? startScript("../../src/main.ts", ["sign"], environmentFor("sign", env))
    : startScript("keysInWorker.ts", [JSON.stringify(env)])
  yield* signer.says(({ message }) => (message === "signer.started" ? true : undefined))
  const server = yield* startScript("../../src/main.ts", ["serve"], environmentFor("serve", env))
  const worker =
    keysIn === "worker" ? signer : yield* startScript("../../src/main.ts", ["work"], environmentFor("work", env))
  const baseUrl = yield* server.says(({ annotations, message }) =>
    message === "server.started" ? String((annotations as Readonly<Record<string, unknown>>)["partner"]) : undefined
  )
  yield* worker.says(({ message }) => (message === "sender.started" ? true : undefined))
  const wanted: Clients = {
    baseUrl,
    apiKeys: payer.apiKeys,
    signingKey: payer.signingKey,
    payouts: to.map((one) => ({ currency: token.code, amount, to: one }))
  }
  const clients = yield* startScript("clients.ts", [yield* toldIn(wanted)])
  const end = yield* Effect.forkChild(included(own))
  // what the script prints is of this form
  const posted = yield* clients.says((line) => ("startedAt" in line ? (line as unknown as Posted) : undefined))
  if (posted.failed.length > 0) {
    return yield* Effect.die(new Error(`${posted.failed.length} requests failed, the first with ${posted.failed[0]}`))
  }
  const took = (yield* Fiber.join(end)) - posted.startedAt
  yield* settled(payer.id, posted.ids)
  const blocks = yield* verify(own, since)
  const results = yield* (yield* LedgerSnapshot).snapshot(payer.id, checkTenant)
  const odd = results.find(({ firstWrong }) => firstWrong !== null)
  if (odd !== undefined) return yield* Effect.die(new Error(`the books are wrong: ${odd.invariant}`))
  return {
    perSecond: (to.length * 1_000) / took,
    posted: (to.length * 1_000) / posted.tookMs,
    medianMs: posted.medianMs,
    slowestMs: posted.slowestMs,
    blocks
  }
}, Effect.scoped)

/**
 * Payouts per second of one wallet on a node that makes blocks by the clock, through everything: signed requests, a server, a worker,
 * a signer, PostgreSQL; and the same with a worker that holds the keys itself. Beside them the same transfers by a loop of viem's. All are counted to the block that has the last. Dies unless every
 * payout is settled, each receiver paid once, the nonces without a gap and the books clean.
 */
export const payouts = Effect.fnUntraced(function* (
  /** One for each, migrated: a signer refuses a database whose signatures it does not know. */
  databaseUrls: Readonly<Record<"signer" | "worker", string>>,
  count: number
) {
  const devnet = yield* EvmDevnet.make({ network: "ethereum" })
  const token = yield* devnet.faucet.token("USDC_ETH")
  const round = (at: number) => ({ devnet, token, units, to: Array.from({ length: count }, (_, n) => receiver(at, n)) })
  const keys = { currencies: localCurrencies, masterKeys: Redacted.make(secrets.VAULT_MASTER_KEY) }
  const servedBy = (keysIn: "signer" | "worker", at: number) => {
    const url = databaseUrls[keysIn]
    const ports = layerVault(keys).pipe(
      Layer.provideMerge(Writer.layer),
      Layer.provideMerge(postgresLayer({ url: Redacted.make(url), maxConnections: 8, applicationName: "bench" })),
      Layer.provideMerge(layerNetworksAlone(idleLocalNodes, localCurrencies))
    )
    return Effect.provide(served(url, round(at), keysIn), ports)
  }
  const oneByOne = yield* bare(round(0), 1)
  const sixteen = yield* bare(round(1), 16)
  const service = yield* servedBy("signer", 2)
  const inProcess = yield* servedBy("worker", 3)
  return { oneByOne, sixteen, service, inProcess }
}, Effect.scoped)
