import { seedOf } from "./seedOf.ts"
import { payoutPhase } from "./payoutPhase.ts"
import { evmDefaults } from "@bursar/cli/config/NetworkSettings"
import * as Writer from "@bursar/core/engine/Writer"
import { of } from "@bursar/core/money/Amount"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import type { Operation } from "@bursar/core/operation/Operation"
import { Networks } from "@bursar/core/port/Networks"
import { Queries } from "@bursar/core/store/Queries"
import { BitcoinDevnet } from "@bursar/simulator-bitcoin"
import { EvmDevnet } from "@bursar/simulator-evm"
import { StellarDevnet } from "@bursar/simulator-stellar"
import { addressOf } from "@bursar/simulator-bitcoin/scripts"
import { tokenAbi } from "@bursar/simulator-evm/abis"
import type { Hex } from "@bursar/simulator-evm/Faucet"
import { feeToken } from "@bursar/simulator-evm/tokens"
import { Effect, Redacted, Ref, Schedule } from "effect"
import { encodeFunctionData } from "viem"
import type { NetworkSettings } from "../../src/config/NetworkSettings.ts"
import { localNode } from "./localNode.ts"
import { issue, portsOver } from "./ports.ts"
import { signingTenant } from "./signedPayouts.ts"
import { until } from "./until.ts"
import { confirmations, environmentOf, migratedDatabase } from "./world.ts"
import { Payout } from "@bursar/core/payout/Payout"
import { localCurrencies as currencies } from "./localCurrencies.ts"

const ether = 10n ** 18n

/** Three networks, one of each kind: numbers, coins, and numbers of accounts that have to be set up. */
export const openNetworks = Effect.gen(function* () {
  const [database, ethereum, bitcoin, stellar] = yield* Effect.all(
    [
      migratedDatabase,
      EvmDevnet.make({ network: "ethereum", slotsInEpoch: 1 }),
      BitcoinDevnet.make(),
      StellarDevnet.make({ mining: "manual" })
    ],
    { concurrency: 4 }
  )
  const env = {
    ...environmentOf(database.url, { ethereum: ethereum.rpcUrl }),
    BITCOIN_RPC_URL: bitcoin.rpcUrl,
    BITCOIN_CHAIN: "regtest",
    BITCOIN_CONFIRMATIONS: String(confirmations),
    STELLAR_HORIZON_URL: stellar.horizonUrl,
    STELLAR_NETWORK_PASSPHRASE: stellar.networkPassphrase
  }
  const pollIntervalMs = 200
  const settings: ReadonlyArray<NetworkSettings> = [
    {
      ...evmDefaults,
      environment: "SANDBOX",
      network: "ethereum",
      rpcUrl: Redacted.make(ethereum.rpcUrl),
      confirmations,
      pollIntervalMs
    },
    {
      family: "bitcoin",
      network: "bitcoin",
      rpcUrl: Redacted.make(bitcoin.rpcUrl),
      chain: "regtest",
      confirmations,
      pollIntervalMs
    },
    {
      family: "stellar",
      network: "stellar",
      horizonUrl: Redacted.make(stellar.horizonUrl),
      rpcUrl: null,
      networkPassphrase: stellar.networkPassphrase,
      pollIntervalMs
    }
  ]
  return { ethereum, bitcoin, stellar, env, ports: portsOver(database.url, settings) }
})

/** A payout that was asked for, and how it has to end. */
export interface Asked {
  readonly operation: Operation
  readonly ends: "SETTLED" | "FAILED"
  /** What its receiver has got, by the chain; and what it has to get. */
  readonly received: Effect.Effect<bigint, unknown>
  readonly units: bigint
}

const receiver = (n: number): Hex => `0x${(0xdead_0000 + n).toString(16).padStart(40, "0")}`

const bitcoinReceiver = (n: number): string =>
  addressOf(Uint8Array.of(0x00, 0x14, ...Buffer.from(receiver(n).slice(2), "hex"))) ?? ""

/** Tenants with wallets on these networks, blocks that come by themselves, and every way to make a worker do something. */
export const openPayers = Effect.fnUntraced(function* ({
  bitcoin,
  ethereum,
  stellar
}: Effect.Success<typeof openNetworks>) {
  const writer = yield* Writer.Writer
  const queries = yield* Queries
  const networks = yield* Networks
  const { faucet } = ethereum
  const nodes = { bitcoin: localNode(bitcoin.controlUrl), stellar: localNode(stellar.controlUrl) }
  const payers = {
    ethereum: yield* signingTenant("ethereum"),
    bitcoin: yield* signingTenant("bitcoin"),
    stellar: yield* signingTenant("stellar")
  }
  const { address: wallet } = payers.ethereum.wallet
  const usdt = yield* faucet.token("USDT_ETH")

  const mining = yield* Ref.make(true)
  yield* faucet.setAutomine(false)
  const mineAll = Effect.all([faucet.mine(1), nodes.bitcoin.mine(1), nodes.stellar.mine(1)], { discard: true })
  const tick = Effect.flatMap(Ref.get(mining), (on) => (on ? mineAll : Effect.void)).pipe(
    // a node that is busy mines with the next tick
    Effect.catchCause((cause) => Effect.logWarning("no block was mined", cause))
  )
  yield* Effect.forkScoped(Effect.repeat(tick, Schedule.spaced("250 millis")))

  yield* faucet.rpc("anvil_setBalance", [wallet, `0x${(10n * ether).toString(16)}`])
  const gas = adjustFloat({ amount: of(10n * ether, "ETH"), against: "chain:ethereum:payouts", reason: "gas" })
  yield* writer.submit(payers.ethereum.id, gas)

  const asked: Array<Asked> = []
  const deposited = new Set<string>()
  const ask = Effect.fnUntraced(function* (
    network: "ethereum" | "bitcoin",
    currency: string,
    amount: string,
    to: string,
    outcome: Omit<Asked, "operation">
  ) {
    const operation = yield* payers[network].pay(currency, amount, to)
    asked.push({ operation, ...outcome })
    return operation
  }, Effect.uninterruptible)

  /** Waits until what a wallet was paid is booked, and then credits it. */
  const credited = Effect.fnUntraced(function* (network: keyof typeof payers, currency: string, units: bigint) {
    const { id } = payers[network]
    const account = `chain:${network}:payouts` as const
    const lines = queries.accountLines(id, { account, currency, limit: 1 })
    yield* until(`the wallet's ${currency} is booked`, lines, ({ length }) => length > 0)
    yield* writer.submit(id, adjustFloat({ amount: of(units, currency), against: "suspense", reason: "funded" }))
  })

  /** What some addresses have on a network. */
  const heldBy = (network: keyof typeof payers, currency: string, addresses: ReadonlyArray<string>) => {
    const sender = networks.get(network)?.sender
    const contract = currencies.byCode(currency)?.asset?.contract ?? null
    if (sender === undefined) return Effect.die(new Error(`${network} is off`))
    const each = Effect.forEach(addresses, (address) => sender.balance(address, contract))
    return Effect.map(each, (all) => all.reduce((sum, units) => sum + units, 0n))
  }

  return {
    payers,
    asked,
    deposited,
    heldBy,
    /** What the wallets are paid from outside, once a worker watches them. */
    fund: Effect.gen(function* () {
      yield* faucet.mint(usdt, wallet as Hex, 1_000_000_000n)
      yield* nodes.bitcoin.fund(payers.bitcoin.wallet.address, "BTC", "1")
      yield* nodes.stellar.fund(payers.stellar.wallet.address, "XLM", "1000")
      yield* credited("ethereum", "USDT_ETH", 1_000_000_000n)
      yield* credited("bitcoin", "BTC", 100_000_000n)
      yield* credited("stellar", "XLM", 10_000_000_000n)
    }),
    /** Stops the blocks of all networks, or lets them come again. */
    mine: (on: boolean) => Ref.set(mining, on),
    pay: {
      dollars: Effect.suspend(() => {
        const to = receiver(asked.length)
        const received = faucet.tokenBalance(usdt, to)
        return ask("ethereum", "USDT_ETH", "1.5", to, { ends: "SETTLED", received, units: 1_500_000n })
      }),
      ether: Effect.suspend(() => {
        const to = receiver(asked.length)
        return ask("ethereum", "ETH", "0.001", to, {
          ends: "SETTLED",
          received: faucet.balance(to),
          units: ether / 1000n
        })
      }),
      bitcoin: Effect.suspend(() => {
        const to = bitcoinReceiver(asked.length)
        const received = heldBy("bitcoin", "BTC", [to])
        return ask("bitcoin", "BTC", "0.0001", to, { ends: "SETTLED", received, units: 10_000n })
      }),
      /** To somebody whom the issuer of the token has blocked. */
      blocked: Effect.suspend(() => {
        const to = receiver(asked.length)
        const data = encodeFunctionData({ abi: tokenAbi, functionName: "setBlocked", args: [to, true] })
        const received = faucet.tokenBalance(usdt, to)
        return Effect.flatMap(faucet.call(usdt.address, data), faucet.receipt).pipe(
          Effect.andThen(ask("ethereum", "USDT_ETH", "1.5", to, { ends: "FAILED", received, units: 0n }))
        )
      }),
      /** To a contract that takes no coin. */
      refusing: Effect.suspend(() => {
        const to = feeToken.address.toLowerCase()
        const received = faucet.balance(feeToken.address)
        return ask("ethereum", "ETH", "0.001", to, { ends: "FAILED", received, units: 0n })
      })
    },
    /** Pays dollars to an address whose key the service holds: they are to be swept. Gives the address. */
    deposit: Effect.gen(function* () {
      const { id, wallet: own } = payers.ethereum
      const { addresses } = yield* issue(id, seedOf(own), "ethereum", 1)
      const [{ address } = { address: "" }] = addresses
      yield* faucet.transfer(usdt, address as Hex, 40_000_000n)
      deposited.add(address)
      return address as Hex
    }).pipe(Effect.uninterruptible)
  }
})

/** The payout of an operation, once it has come to a phase. */
export const untilPhase = Effect.fnUntraced(function* (
  { id, tenantId }: Operation,
  phase: "BROADCAST" | "INCLUDED" | "FINAL"
) {
  const queries = yield* Queries
  yield* until(phase, payoutPhase(tenantId, id), (now) => now === phase)
  const payout = yield* queries.record(tenantId, Payout, id)
  return payout ?? (yield* Effect.die(new Error("there is no such payout")))
})
