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
import { serverCpuMicros } from "@bursar/simulator-postgres/serverCpu"
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

/** Of which the middle one counts. */
const roundsEach = 3

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

/** A tenant without limits, with a payout wallet, that signs its requests, under so many keys. */
const openPayer = Effect.fnUntraced(function* (keys: number) {
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
    Array.from({ length: keys }, (_, at) => `bench ${at}`),
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

/** Rounds of transfers: each has receivers of its own. */
interface Rounds extends Pick<Transfers, "devnet" | "token" | "units"> {
  readonly rounds: ReadonlyArray<ReadonlyArray<Hex>>
}

const transfersOf = ({ rounds }: Rounds): number => rounds.flat().length

/** The transfers of a round, of an account that has made those of the rounds before. */
const transfersIn = (all: Rounds, round: number, from: Hex): Transfers => ({
  ...all,
  from,
  to: all.rounds[round] ?? [],
  after: all.rounds.slice(0, round).flat().length
})

/** Processes by name. */
type Pids = Readonly<Record<string, number>>

/** Microseconds of processor that each of some processes has taken. */
const timesOf = (pids: Pids) =>
  Effect.sync(() => Object.entries(pids).map(([name, pid]) => ({ name, micros: serverCpuMicros(pid) ?? 0 })))

/** What was taken since an earlier look, for each of so many. */
const since = Effect.fnUntraced(function* (
  pids: Pids,
  earlier: Effect.Success<ReturnType<typeof timesOf>>,
  count: number
) {
  const now = yield* timesOf(pids)
  return now.map(({ micros, name }, at) => ({ name, micros: (micros - (earlier[at]?.micros ?? 0)) / count }))
})

const latest = ({ devnet }: Rounds) => Effect.map(devnet.faucet.block("latest"), ({ number }) => number)

/** Of three the one in the middle. */
const median = <A>(all: ReadonlyArray<A>, by: (one: A) => number): A => {
  const one = all.toSorted((first, other) => by(first) - by(other))[Math.floor(all.length / 2)]
  if (one === undefined) throw new Error("nothing was measured")
  return one
}

/** The same transfers by a loop that signs and hands in, so many at a time; from an account of its own. */
const bare = Effect.fnUntraced(function* (all: Rounds, atOnce: number) {
  const { devnet, rounds, token } = all
  const privateKey = generatePrivateKey()
  const from = privateKeyToAddress(privateKey)
  yield* devnet.faucet.setAutomine(true)
  yield* fund(all, from, transfersOf(all))
  const first = yield* latest(all)
  yield* mineByInterval(devnet)
  const { rpcUrl, chainId } = devnet.anvil
  const wanted: BareTransfers = { rpcUrl, chainId, privateKey, token: token.address, units: `${units}`, rounds, atOnce }
  const loop = yield* startScript("bareTransfers.ts", [yield* toldIn(wanted)])
  const measured = yield* Effect.forEach(rounds, (_, round) =>
    Effect.gen(function* () {
      const own = transfersIn(all, round, from)
      // what the script prints is of this form
      const { startedAt } = yield* loop.says((line) =>
        line["round"] === round ? (line as unknown as Sent) : undefined
      )
      return (own.to.length * 1_000) / ((yield* included(own)) - startedAt)
    })
  )
  yield* verify({ ...transfersIn(all, 0, from), to: rounds.flat() }, first)
  return median(measured, (perSecond) => perSecond)
}, Effect.scoped)

/** Waits until a tenant's payouts are all settled: their blocks have to be final first. */
const settled = Effect.fnUntraced(function* (id: TenantId, ids: ReadonlyArray<string>) {
  const queries = yield* Queries
  let waiting = ids
  // what is settled is not read again: the time that PostgreSQL takes for it would be counted with the payouts
  const look = Effect.gen(function* () {
    const statuses = yield* Effect.forEach(waiting, (one) => queries.operation(id, one), { concurrency: 8 })
    waiting = waiting.filter((_, at) => statuses[at]?.status !== "SETTLED")
    return waiting.length
  })
  yield* Effect.repeat(look, { until: (left) => left === 0, schedule: Schedule.spaced("1 second") }).pipe(
    Effect.timeoutOrElse({
      duration: "3 minutes",
      orElse: () => Effect.die(new Error("not every payout was settled within three minutes"))
    })
  )
})

/** A database, and the first process of its server. */
interface Database {
  readonly url: string
  readonly pid: number
}

/** What the service takes for each round, from the first request to the last inclusion. */
const served = Effect.fnUntraced(function* (
  { pid, url: databaseUrl }: Database,
  all: Rounds,
  keysIn: "signer" | "worker"
) {
  const { devnet, rounds, token } = all
  // each round under keys of its own: what one has used of its rate is no matter of the next
  const keysOf = (round: ReadonlyArray<unknown>): number => Math.ceil(round.length / payoutsPerKey)
  const payer = yield* openPayer(rounds.reduce((sum, round) => sum + keysOf(round), 0))
  const writer = yield* Writer.Writer
  const total = of(units * BigInt(transfersOf(all)), token.code)
  yield* writer.submit(payer.id, adjustFloat({ amount: total, against: "chain:ethereum:payouts", reason: "funded" }))
  yield* devnet.faucet.setAutomine(true)
  yield* fund(all, payer.from, transfersOf(all))
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
  const pids = {
    server: server.pid,
    worker: worker.pid,
    ...(signer !== worker && { signer: signer.pid }),
    PostgreSQL: pid,
    node: devnet.anvil.process.pid
  }
  const measured = yield* Effect.forEach(rounds, (to, round) =>
    Effect.gen(function* () {
      const own = transfersIn(all, round, payer.from)
      const first = yield* latest(all)
      const keys = keysOf(to)
      const wanted: Clients = {
        baseUrl,
        apiKeys: payer.apiKeys.slice(round * keys, (round + 1) * keys),
        signingKey: payer.signingKey,
        payouts: to.map((one) => ({ currency: token.code, amount, to: one }))
      }
      const before = yield* timesOf(pids)
      const clients = yield* startScript("clients.ts", [yield* toldIn(wanted)])
      const end = yield* Effect.forkChild(included(own))
      // what the script prints is of this form
      const posted = yield* clients.says((line) => ("startedAt" in line ? (line as unknown as Posted) : undefined))
      if (posted.failed.length > 0) {
        return yield* Effect.die(
          new Error(`${posted.failed.length} requests failed, the first with ${posted.failed[0]}`)
        )
      }
      const took = (yield* Fiber.join(end)) - posted.startedAt
      yield* settled(payer.id, posted.ids)
      return {
        perSecond: (to.length * 1_000) / took,
        posted: (to.length * 1_000) / posted.tookMs,
        medianMs: posted.medianMs,
        slowestMs: posted.slowestMs,
        each: yield* since(pids, before, to.length),
        blocks: yield* verify(own, first)
      }
    }).pipe(Effect.scoped)
  )
  const results = yield* (yield* LedgerSnapshot).snapshot(payer.id, checkTenant)
  const odd = results.find(({ firstWrong }) => firstWrong !== null)
  if (odd !== undefined) return yield* Effect.die(new Error(`the books are wrong: ${odd.invariant}`))
  return median(measured, ({ perSecond }) => perSecond)
}, Effect.scoped)

/**
 * Payouts per second of one wallet on a node that makes blocks by the clock, through everything: signed requests, a server, a worker,
 * a signer, PostgreSQL; and the same with a worker that holds the keys itself. Beside them the same transfers by a loop of viem's. All are
 * counted to the block that has the last, in three rounds of one service and of one loop: the middle one counts. Dies unless every payout
 * is settled, each receiver paid once, the nonces without a gap and the books clean.
 */
export const payouts = Effect.fnUntraced(function* (
  /** One for each, migrated: a signer refuses a database whose signatures it does not know. */
  databases: Readonly<Record<"signer" | "worker", Database>>,
  count: number
) {
  const devnet = yield* EvmDevnet.make({ network: "ethereum" })
  const token = yield* devnet.faucet.token("USDC_ETH")
  const rounds = (at: number): Rounds => ({
    devnet,
    token,
    units,
    rounds: Array.from({ length: roundsEach }, (_, round) =>
      Array.from({ length: count }, (_one, n) => receiver(at, round * count + n))
    )
  })
  const keys = { currencies: localCurrencies, masterKeys: Redacted.make(secrets.VAULT_MASTER_KEY) }
  const servedBy = (keysIn: "signer" | "worker", at: number) => {
    const database = databases[keysIn]
    const ports = layerVault(keys).pipe(
      Layer.provideMerge(Writer.layer),
      Layer.provideMerge(
        postgresLayer({ url: Redacted.make(database.url), maxConnections: 8, applicationName: "bench" })
      ),
      Layer.provideMerge(layerNetworksAlone(idleLocalNodes, localCurrencies))
    )
    return Effect.provide(served(database, rounds(at), keysIn), ports)
  }
  const oneByOne = yield* bare(rounds(0), 1)
  const sixteen = yield* bare(rounds(1), 16)
  const service = yield* servedBy("signer", 2)
  const inProcess = yield* servedBy("worker", 3)
  return { oneByOne, sixteen, service, inProcess }
}, Effect.scoped)
