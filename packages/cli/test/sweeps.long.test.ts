import { seedOf } from "./support/seedOf.ts"
import { evmDefaults } from "@bursar/cli/config/NetworkSettings"
import { checkTenant } from "@bursar/core/checker/checkTenant"
import * as Writer from "@bursar/core/engine/Writer"
import type { Account } from "@bursar/core/ledger/Account"
import { of } from "@bursar/core/money/Amount"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { adapterOf, Networks } from "@bursar/core/port/Networks"
import { Prices } from "@bursar/core/port/Prices"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { BitcoinDevnet } from "@bursar/simulator-bitcoin"
import { EvmDevnet } from "@bursar/simulator-evm"
import { StellarDevnet } from "@bursar/simulator-stellar"
import { TronDevnet } from "@bursar/simulator-tron"
import { defaultSendLimits } from "@bursar/worker/transactions/SendLimits"
import * as Sender from "@bursar/worker/sender/Sender"
import { defaultSweepLimits } from "@bursar/worker/sweep/SweepLimits"
import { watchNetwork } from "@bursar/worker/watch/watchNetwork"
import { defaultWatchLimits } from "@bursar/worker/watch/WatchLimits"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted, Schedule } from "effect"
import type { NetworkSettings } from "../src/config/NetworkSettings.ts"
import { localNode } from "./support/localNode.ts"
import { issue, portsOver } from "./support/ports.ts"
import { signingTenant } from "./support/signedPayouts.ts"
import { untilNoDifference } from "./support/untilNoDifference.ts"
import { until } from "./support/until.ts"
import { migratedDatabase } from "./support/world.ts"
import { AccountProvisioning } from "@bursar/core/provisioning/AccountProvisioning"
import { Sweep } from "@bursar/core/sweep/Sweep"
import { IntakeCost } from "@bursar/core/sweep/IntakeCost"
import { localCurrencies } from "./support/localCurrencies.ts"

const currencies = localCurrencies

/** A local network, its settings, and how its wallet comes to coin. */
interface Lab {
  readonly settings: NetworkSettings
  readonly node: ReturnType<typeof localNode>
  /** Gives a wallet coin for fees where it needs any. Whether the watcher books that. */
  readonly fuel: (wallet: string) => Effect.Effect<"watched" | bigint, unknown>
}

const redacted = (url: string) => Redacted.make(url)

const labs = {
  ethereum: Effect.map(EvmDevnet.make({ network: "ethereum", slotsInEpoch: 1 }), (devnet): Lab => ({
    settings: {
      ...evmDefaults,
      environment: "SANDBOX",
      network: "ethereum",
      rpcUrl: redacted(devnet.rpcUrl),
      confirmations: 3,
      pollIntervalMs: 200
    },
    node: localNode(devnet.controlUrl),
    fuel: (wallet) => Effect.as(devnet.faucet.rpc("anvil_setBalance", [wallet, "0xde0b6b3a7640000"]), 10n ** 18n)
  })),
  tron: Effect.map(TronDevnet.make({ mining: "manual" }), (devnet): Lab => {
    const node = localNode(devnet.controlUrl)
    return {
      settings: {
        family: "tron",
        network: "tron",
        nodeUrl: redacted(devnet.nodeUrl),
        solidityUrl: null,
        apiKey: null,
        genesisBlockId: devnet.genesisBlockId,
        confirmations: null,
        pollIntervalMs: 200
      },
      node,
      fuel: (wallet) => Effect.as(node.fund(wallet, "TRX", "1000"), "watched" as const)
    }
  }),
  bitcoin: Effect.map(BitcoinDevnet.make(), (devnet): Lab => ({
    settings: {
      family: "bitcoin",
      network: "bitcoin",
      rpcUrl: redacted(devnet.rpcUrl),
      chain: "regtest",
      confirmations: 3,
      pollIntervalMs: 200
    },
    node: localNode(devnet.controlUrl),
    fuel: () => Effect.succeed("watched" as const)
  })),
  stellar: Effect.map(StellarDevnet.make({ mining: "manual" }), (devnet): Lab => {
    const node = localNode(devnet.controlUrl)
    return {
      settings: {
        family: "stellar",
        network: "stellar",
        horizonUrl: redacted(devnet.horizonUrl),
        rpcUrl: null,
        networkPassphrase: devnet.networkPassphrase,
        pollIntervalMs: 200
      },
      node,
      fuel: (wallet) => Effect.as(node.fund(wallet, "XLM", "100"), "watched" as const)
    }
  })
}

/** A dollar a unit for tokens, and what coins cost on an ordinary day. */
const dollars: Readonly<Record<string, bigint>> = { ETH: 2_000n, BTC: 60_000n, TRX: 1n, XLM: 1n }

const prices = Layer.succeed(
  Prices,
  Prices.of({
    usd: (currency) =>
      Effect.map(Clock.currentTimeMillis, (observedAt) => ({
        price: { units: dollars[currency] ?? 1n, decimals: currency === "TRX" ? 1 : 0 },
        source: "test",
        observedAt
      })),
    rate: () => Effect.succeed(null)
  })
)

const portsWithPrices = (url: string, settings: ReadonlyArray<NetworkSettings>) =>
  Layer.merge(portsOver(url, settings), prices)

/** What an account of the books holds of a currency. */
const booked = Effect.fnUntraced(function* (id: TenantId, account: Account, currency: string) {
  const balances = yield* (yield* LedgerSnapshot).snapshot(id, (ledger) => Effect.succeed(ledger.balances))
  return balances.find((one) => one.account === account && one.currency === currency)?.units ?? 0n
})

const limits = {
  ...defaultSendLimits,
  idleMs: 100,
  checkFirstMs: 300,
  checkLongestMs: 1_000,
  retryFirstMs: 300,
  retryLongestMs: 1_000
}
const sweeps = { ...defaultSweepLimits, idleMs: 200, reconsiderMs: 1_000, retryFirstMs: 500, followMs: 500 }

/** What arrives on each network: on how many addresses, of what, and how much on each. */
const incomingTransfers = [
  { network: "ethereum", count: 2, gives: [["USDT_ETH", "150"]] },
  { network: "ethereum", count: 1, gives: [["ETH", "0.75"]] },
  { family: "tron", network: "tron", count: 2, gives: [["USDT_TRON", "250"]] },
  { family: "bitcoin", network: "bitcoin", count: 3, gives: [["BTC", "0.02"]] },
  { family: "stellar", network: "stellar", count: 2, gives: [["XLM", "40"]] }
] as const

describe("sweeping on real nodes", () => {
  for (const { count, gives, network } of incomingTransfers) {
    it.live(
      `brings ${gives.map(([currency]) => currency).join(" and ")} from ${count} addresses to the wallet on ${network}, and the books agree with the chain`,
      () =>
        Effect.gen(function* () {
          const [database, lab] = yield* Effect.all([migratedDatabase, labs[network]], { concurrency: 2 })
          yield* Effect.gen(function* () {
            const { id, wallet } = yield* signingTenant(network)
            const writer = yield* Writer.Writer
            const adapter = adapterOf(yield* Networks, network)
            const { sender } = adapter
            const utxo = currencies.byAsset(network, null)?.code ?? ""
            yield* Effect.forkScoped(watchNetwork({ adapter, currencies, limits: defaultWatchLimits }))
            yield* Effect.forkScoped(Effect.repeat(lab.node.mine(1), Schedule.spaced("400 millis")))
            yield* Effect.sleep("1 second")
            const fuelled = yield* lab.fuel(wallet.address)
            if (fuelled !== "watched") {
              const against = `chain:${network}:payouts` as const
              yield* writer.submit(id, adjustFloat({ amount: of(fuelled, utxo), against, reason: "funded" }))
            }
            yield* Effect.forkScoped(Sender.run({ currencies, limits, sweeps }))
            const { account, addresses } = yield* issue(id, seedOf(wallet), network, count)
            const queries = yield* Queries
            if (network === "stellar") {
              yield* until(
                "the account that addresses are parts of is set up",
                queries.records(id, AccountProvisioning, network),
                (all) => all.some(({ ready, role }) => ready && role === "ISSUING")
              )
            }
            for (const { address } of addresses) {
              for (const [currency, amount] of gives) {
                yield* lab.node.fund(address, currency, amount)
                yield* lab.node.mine(1)
              }
            }
            if (network === "stellar") {
              // it names no part of the account: nobody gets it, and nothing moves it
              yield* lab.node.fund(account.accountKey, "XLM", "5")
              yield* until(
                "what came for nobody is in suspense",
                booked(id, "suspense", "XLM"),
                // beside what the wallet was given
                (units) => units === -105n * 10n ** 7n
              )
            }
            yield* until(
              "all that arrived is swept",
              queries.records(id, Sweep),
              (all) =>
                all.filter(({ closedAt, state }) => state === "SWEPT" && closedAt !== null).length ===
                count * gives.length
            )
            // the watcher sees what came to the wallet
            yield* untilNoDifference
            const payers = network === "stellar" ? [account.accountKey] : addresses.map(({ address }) => address)
            for (const currency of new Set([utxo, ...gives.map(([code]) => code)])) {
              const contract = currencies.byCode(currency)?.asset?.contract ?? null
              const balanceOf = (address: string) => sender.balance(address, contract)
              const onAddresses = yield* Effect.forEach(payers, balanceOf)
              assert.strictEqual(
                yield* booked(id, `chain:${network}:deposits`, currency),
                onAddresses.reduce((sum, units) => sum + units, 0n),
                `${currency} on addresses`
              )
              assert.strictEqual(
                yield* booked(id, `chain:${network}:payouts`, currency),
                yield* balanceOf(wallet.address),
                `${currency} in the wallet`
              )
            }
            const cost = yield* queries.record(id, IntakeCost, gives[0][0])
            assert.strictEqual(cost?.count, count)
            assert.isAbove(Number(cost?.feeUnits), 0)
            const results = yield* (yield* LedgerSnapshot).snapshot(id, checkTenant)
            for (const { firstWrong, invariant } of results) assert.isNull(firstWrong, invariant)
            return undefined
          }).pipe(Effect.provide(portsWithPrices(database.url, [lab.settings])))
        }).pipe(Effect.scoped),
      180_000
    )
  }
})
