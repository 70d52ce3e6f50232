import { createHash } from "node:crypto"
import { makeCurrencyTable, type CurrencyTable } from "@bursar/core/money/Currency"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { makeNetworkTable, type NetworkTraits } from "@bursar/core/money/Network"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import type { Rate } from "@bursar/core/money/Rate"
import type { Prices } from "@bursar/core/port/Prices"
import { emptyState, type State } from "@bursar/memory"
import { Effect } from "effect"
import { type Election, makeElection } from "../process/Election.ts"
import { type Kernel, makeKernel } from "../kernel/Kernel.ts"
import { makeRandom, type Random } from "../kernel/Random.ts"
import { type Chain, makeChain } from "../outside/Chain.ts"
import { type Exchange, makeExchange } from "../outside/Exchange.ts"
import { type FaultKind, type Faults, makeFaults } from "../outside/Faults.ts"
import { type Coverage, makeCoverage } from "./Coverage.ts"
import { nothingPlanted, type Plant } from "./Plant.ts"
import type { Records } from "./Records.ts"

/** How a world differs from others: drawn from its seed. */
export interface WorldConfig {
  readonly network: string
  /** Blocks after which a deposit counts; fewer than are final in some worlds. */
  readonly confirmations: number
  readonly finality: number
  readonly blockMs: number
  readonly servers: number
  readonly workers: number
  readonly tenants: number
  /** For how long partners ask for things and everything goes wrong. */
  readonly activeMs: number
  /** How often each partner asks for something. */
  readonly askEveryMs: number
  readonly weights: {
    readonly payout: number
    readonly withdrawal: number
    readonly swap: number
    readonly deposit: number
  }
  readonly reviewUsd: string | null
  readonly limitUsd: string
  readonly dailyLimitUsd: string
  readonly feePercent: { readonly units: bigint; readonly decimals: number }
  readonly networkFeeBorneBy: "RECEIVER" | "SERVICE"
}

/** A whole world: what the service stands on, and what is outside of it. */
export interface World {
  readonly seed: number
  readonly config: WorldConfig
  readonly kernel: Kernel
  readonly random: Random
  readonly faults: Faults
  readonly state: State
  readonly chain: Chain
  readonly exchange: Exchange
  readonly election: Election
  readonly market: Prices["Service"]
  readonly currencies: CurrencyTable
  readonly coverage: Coverage
  readonly plant: Plant
  readonly records: Records
  readonly verbose: boolean
  readonly patienceMs: number
  /** Writes a line into the history of the world. */
  readonly note: (what: string) => void
  readonly history: () => ReadonlyArray<string>
  /** What the whole history comes to: the same for the same seed. */
  readonly digest: () => string
}

/** How a world is made. */
export interface WorldOptions {
  readonly seed: number
  readonly without?: ReadonlySet<FaultKind>
  /** In place of the time that the seed gives to asking. */
  readonly activeMs?: number
  readonly plant?: Plant
  readonly verbose?: boolean
  /** How long everything may take to come to its end once nothing goes wrong any more. Default 45 minutes. */
  readonly patienceMs?: number
}

/** When every world begins: 2026-01-01T00:00:00Z. */
export const beginning = 1_767_225_600_000

const seconds = 1_000
const minutes = 60 * seconds

const draw = (random: Random): WorldConfig => {
  const finality = 3 + random.below(3)
  return {
    network: "ethereum",
    confirmations: 1 + random.below(finality),
    finality,
    blockMs: (3 + random.below(8)) * seconds,
    servers: 1 + random.below(2),
    workers: 1 + random.below(2),
    tenants: 1 + random.below(2),
    activeMs: (60 + random.below(120)) * seconds,
    askEveryMs: (2 + random.below(8)) * seconds,
    weights: {
      payout: 1 + random.below(6),
      withdrawal: random.below(5),
      swap: random.below(4),
      deposit: 1 + random.below(4)
    },
    reviewUsd: random.pick([null, "100", "300"]),
    limitUsd: random.pick(["250", "400", "100000"]),
    dailyLimitUsd: random.pick(["800", "3000", "100000"]),
    feePercent: random.pick([
      { units: 0n, decimals: 0 },
      { units: 1n, decimals: 0 },
      { units: 37n, decimals: 2 }
    ]),
    networkFeeBorneBy: random.pick(["RECEIVER", "SERVICE"])
  }
}

/** The wallets' keys stand right below the seed: deriving them is most of what signing costs here. */
const traitsOf = (network: string): NetworkTraits => {
  const traits = presetNetworks.of(network)
  return { ...traits, environment: "SANDBOX", keyPaths: { ...traits.keyPaths, wallet: (index) => `m/${index}` } }
}

const currenciesOf = (network: string): CurrencyTable =>
  makeCurrencyTable(
    defaultCurrencies.all,
    makeNetworkTable(presetNetworks.all.map((traits) => (traits.name === network ? traitsOf(network) : traits)))
  )

/** What things are worth: a dollar is a dollar, ether moves. */
const makeMarket = (random: Random, faults: Faults, kernel: Kernel): Prices["Service"] => {
  let ether = 2_000n
  const priceOf = (currency: string): bigint | undefined =>
    currency === "ETH" ? ether : currency.startsWith("USD") ? 1n : undefined
  const seen = (units: bigint | undefined): Rate | null => {
    if (units === undefined || faults.strikes("prices.unknown")) return null
    const observedAt = kernel.now() - (faults.strikes("prices.stale") ? 3_600_000 : 0)
    return { price: { units, decimals: 0 }, source: "market", observedAt }
  }
  return {
    usd: (currency) =>
      Effect.sync(() => {
        if (faults.strikes("prices.move")) ether = 1_500n + BigInt(random.below(1_000))
        return seen(priceOf(currency))
      }),
    rate: (from, to) => Effect.sync(() => seen(from.startsWith("USD") && to.startsWith("USD") ? 1n : undefined))
  }
}

/** A world of a seed in which nothing has happened yet. */
export const makeWorld = (options: WorldOptions): World => {
  const { patienceMs = 45 * minutes, plant = nothingPlanted, seed, verbose = false, without = new Set() } = options
  const random = makeRandom(seed)
  const drawn = draw(random.for("config"))
  const config = options.activeMs === undefined ? drawn : { ...drawn, activeMs: options.activeMs }
  const kernel = makeKernel(random.for("turns"), beginning)
  const faults = makeFaults(random.for("faults"), without)
  const state = emptyState()
  const currencies = currenciesOf(config.network)
  const history: Array<string> = []
  const hash = createHash("sha256")
  const note = (what: string): void => {
    const line = `${String(kernel.now() - beginning).padStart(8)} ${what}`
    hash.update(`${line}\n`)
    if (verbose) history.push(line)
  }
  const chain = makeChain({ random: random.for("chain"), faults, finality: config.finality, startsAt: beginning, note })
  const records: Records = {
    asked: [],
    received: Array.from({ length: config.tenants }, () => []),
    begun: Array.from({ length: config.tenants }, () => []),
    early: [],
    deposed: [],
    approved: new Set()
  }
  const onConfirmed = (txHash: string): void => {
    if (chain.deepest(txHash) < config.confirmations) records.early.push(txHash)
  }
  return {
    seed,
    config,
    chain,
    records,
    kernel,
    random,
    faults,
    state,
    currencies,
    plant,
    verbose,
    patienceMs,
    note,
    exchange: makeExchange({
      random: random.for("exchange"),
      faults,
      now: kernel.now,
      networkFeeBorneBy: config.networkFeeBorneBy,
      networkFee: 1_000_000n,
      note,
      decimalsOf: (currency) => currencies.byCode(currency)?.decimals ?? 0
    }),
    election: makeElection({ state, random: random.for("election"), epochsRise: plant.epochsRise ?? true }),
    market: makeMarket(random.for("market"), faults, kernel),
    coverage: makeCoverage(note, onConfirmed),
    history: () => history,
    digest: () => hash.copy().digest("hex").slice(0, 16)
  }
}
