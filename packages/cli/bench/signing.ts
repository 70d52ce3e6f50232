import * as Writer from "@bursar/core/engine/Writer"
import { adapterOf, Networks } from "@bursar/core/port/Networks"
import { type SignTransaction, TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { layer as postgresLayer } from "@bursar/postgres"
import { listenSigner, SignerClient } from "@bursar/signer"
import { EvmDevnet } from "@bursar/simulator-evm"
import { Context, Effect, Layer, Redacted, Result } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layerNetworks } from "../src/assemble/adapters.ts"
import { layerSignerStorage, openSigner } from "../src/assemble/sign.ts"
import { layerVault } from "../src/assemble/vault.ts"
import { evmDefaults } from "../src/config/NetworkSettings.ts"
import { readSignSettings } from "../src/config/Settings.ts"
import { localCurrencies } from "../test/support/localCurrencies.ts"
import { signingTenant } from "../test/support/signedPayouts.ts"
import { receiver } from "./payouts/transfers.ts"

const masterKeys = `bench:${Buffer.alloc(32, 1).toString("base64")}`

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "bursar-signer-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** How many requests are made at once where the rate is measured. */
const callers = 16

/** Payments of coin that a partner has asked for, each ready to be signed, of one wallet. */
const requests = Effect.fnUntraced(function* ({ faucet }: EvmDevnet.EvmDevnet, count: number) {
  const { id, sign, wallet } = yield* signingTenant("ethereum")
  const { parseAddress, sender } = adapterOf(yield* Networks, "ethereum")
  const { address: from, index, seedId } = wallet
  if (seedId === null) return yield* Effect.die(new Error("the wallet has no seed"))
  yield* faucet.rpc("anvil_setBalance", [from, `0x${(10n ** 21n).toString(16)}`])
  return yield* Effect.forEach(
    Array.from({ length: count }, (_, n) => n),
    Effect.fnUntraced(function* (n) {
      const to = Result.getOrThrow(parseAddress(receiver(9, n)))
      const { evidence } = yield* sign("ETH", "0.001", to)
      const { bytes } = yield* sender.build({
        from,
        guard: { _tag: "Sequence", account: from, sequence: BigInt(n) },
        payments: [{ to, contract: null, units: 10n ** 15n, memo: null }],
        validUntil: Date.now() + 3_600_000,
        salt: n,
        drain: false,
        replacing: null
      })
      const key = { _tag: "Wallet", tenantId: id, seedId, network: "ethereum", index } as const
      const asked: SignTransaction = {
        tenantId: id,
        network: "ethereum",
        unsigned: bytes,
        signers: [{ address: from, key }],
        own: [],
        requests: [evidence]
      }
      return asked
    })
  )
})

type Sign = TransactionSigner["Service"]["sign"]

/** How long a request takes, in milliseconds. */
const timed = (sign: Sign, asked: SignTransaction) =>
  Effect.suspend(() => {
    const started = performance.now()
    return Effect.map(sign(asked), () => performance.now() - started)
  })

/** How long some requests take, so many of them at once, and how much of this process's processor; in milliseconds. */
const timedTogether = Effect.fnUntraced(function* (sign: Sign, asked: ReadonlyArray<SignTransaction>) {
  const [started, before] = [performance.now(), process.cpuUsage()]
  yield* Effect.forEach(asked, sign, { concurrency: callers, discard: true })
  const { system, user } = process.cpuUsage(before)
  return { took: performance.now() - started, processor: (user + system) / 1_000 }
})

/** In how many turns the rates are measured, so that what else the machine does slows both alike. */
const turns = 10

/** Signatures per second of two signers that take turns, each with requests of its own, and the processor that one takes. */
const ratesInTurns = Effect.fnUntraced(function* (
  signers: ReadonlyArray<{ readonly sign: Sign; readonly asked: ReadonlyArray<SignTransaction> }>
) {
  const used = signers.map(() => ({ took: 0, processor: 0 }))
  for (let turn = 0; turn < turns; turn++)
    for (const [at, { asked, sign }] of signers.entries()) {
      const part = asked.slice((turn * asked.length) / turns, ((turn + 1) * asked.length) / turns)
      const { processor, took } = yield* timedTogether(sign, part)
      used[at] = { took: (used[at]?.took ?? 0) + took, processor: (used[at]?.processor ?? 0) + processor }
    }
  return signers.map(({ asked }, at) => ({
    perSecond: (asked.length * 1_000) / (used[at]?.took ?? 0),
    processorMs: (used[at]?.processor ?? 0) / asked.length
  }))
})

const noRate = { perSecond: 0, processorMs: 0 }

const median = (all: ReadonlyArray<number>): number =>
  all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] ?? 0

/** A signer in this process that remembers what it signs, and a client that asks the same signer through its socket. */
const openBoth = Effect.fnUntraced(function* (databaseUrl: string) {
  const directory = yield* folder
  const address = { _tag: "Socket", path: join(directory, "socket") } as const
  const settings = Result.getOrThrow(
    readSignSettings({
      DATABASE_URL: databaseUrl,
      ETHEREUM_CHAIN: "local",
      SIGNER: `unix:${address.path}`,
      SIGNER_STORE: join(directory, "store"),
      VAULT_MASTER_KEY: masterKeys
    })
  )
  const storage = yield* Layer.build(layerSignerStorage(settings))
  const { services } = yield* Effect.provide(openSigner(settings, "adopt"), storage)
  yield* Effect.provide(listenSigner({ address }), services)
  const client = yield* Layer.build(SignerClient.layerTransactionSigner({ address }))
  return {
    here: Context.get(services, TransactionSigner).sign,
    socket: Context.get(client, TransactionSigner).sign
  }
})

/**
 * Signing one payout: asked of the signer in this process, and of the same signer through its socket, in turns. Both verify the
 * partner's request, derive the key, and store what they signed before they answer. Each request is signed once.
 */
export const signing = Effect.fnUntraced(function* (databaseUrl: string, count: number) {
  const devnet = yield* EvmDevnet.make({ network: "ethereum" })
  const keys = { currencies: localCurrencies, masterKeys: Redacted.make(masterKeys) }
  const node = {
    ...evmDefaults,
    environment: "SANDBOX",
    network: "ethereum",
    rpcUrl: Redacted.make(devnet.rpcUrl),
    confirmations: 1,
    pollIntervalMs: null
  } as const
  const ports = layerVault(keys).pipe(
    Layer.provideMerge(Writer.layer),
    Layer.provideMerge(
      layerNetworks([node], localCurrencies).pipe(
        Layer.provideMerge(
          postgresLayer({ url: Redacted.make(databaseUrl), maxConnections: 4, applicationName: "bench" })
        )
      )
    )
  )
  const asked = yield* Effect.provide(requests(devnet, 4 * count), ports)
  const { here, socket } = yield* openBoth(databaseUrl)
  const part = (at: number) => asked.slice(at * count, (at + 1) * count)
  const [hereMs, socketMs]: [Array<number>, Array<number>] = [[], []]
  for (const [n, one] of part(0).entries()) {
    hereMs.push(yield* timed(here, one))
    const other = part(1)[n]
    if (other !== undefined) socketMs.push(yield* timed(socket, other))
  }
  const [hereRate, socketRate] = yield* ratesInTurns([
    { sign: here, asked: part(2) },
    { sign: socket, asked: part(3) }
  ])
  return {
    here: { medianMs: median(hereMs), ...noRate, ...hereRate },
    socket: { medianMs: median(socketMs), ...noRate, ...socketRate }
  }
}, Effect.scoped)
