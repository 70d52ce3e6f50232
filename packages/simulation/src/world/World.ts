import { createHash } from "node:crypto"
import { makeCurrencyTable, type CurrencyTable } from "@bursar/core/money/Currency"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { makeNetworkTable, type NetworkTraits } from "@bursar/core/money/Network"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { emptyState, type State } from "@bursar/memory"
import { type Election, makeElection } from "../process/Election.ts"
import { type Kernel, makeKernel } from "../kernel/Kernel.ts"
import { makeRandom, type Random } from "../kernel/Random.ts"
import { type Bank, makeBank } from "../outside/bank/Bank.ts"
import { type AccountNetwork, accountNetwork } from "../outside/accounts/accountNetwork.ts"
import { type BitcoinNetwork, bitcoinNetwork } from "../outside/bitcoin/bitcoinNetwork.ts"
import type { Chain } from "../outside/Chain.ts"
import type { WorldNetwork } from "../outside/WorldNetwork.ts"
import { type Disk, makeDisk } from "../process/Disk.ts"
import { type Exchange, makeExchange } from "../outside/Exchange.ts"
import { type FaultKind, type Faults, makeFaults } from "../outside/Faults.ts"
import { type Hints, makeHints } from "../outside/Hints.ts"
import { makeMarket, type Market } from "../outside/Market.ts"
import { makeVerifier, type Verifier } from "../outside/Verifier.ts"
import { makeSignerDesk, type SignerDesk } from "../process/SignerDesk.ts"
import { makeTrust, type Trust } from "../outside/Approvers.ts"
import type { Note } from "../stored/noting.ts"
import { type Assets, assetsOf } from "./assets.ts"
import { type Coverage, makeCoverage } from "./Coverage.ts"
import { nothingPlanted, type Plant } from "./Plant.ts"
import { idOf, noRecords, type Records } from "./Records.ts"
import { drawConfig, type WorldConfig } from "./WorldConfig.ts"

/** A whole world: what the service stands on, and what is outside of it. */
export interface World {
  readonly seed: number
  readonly config: WorldConfig
  readonly kernel: Kernel
  readonly random: Random
  readonly faults: Faults
  readonly state: State
  readonly network: WorldNetwork
  readonly chain: Chain
  /** The network where it is one of accounts; null where it is another. */
  readonly accounts: AccountNetwork | null
  /** The network where it is bitcoin; null where it is another. */
  readonly bitcoin: BitcoinNetwork | null
  readonly assets: Assets
  readonly exchange: Exchange
  readonly bank: Bank
  readonly verifier: Verifier
  readonly hints: Hints
  readonly election: Election
  readonly market: Market
  /** The disk of the signer, and how the signer is reached. */
  readonly disk: Disk
  readonly desk: SignerDesk
  /** The people whose word decides; null where rows do. */
  readonly trust: Trust | null
  readonly currencies: CurrencyTable
  readonly coverage: Coverage
  readonly plant: Plant
  readonly records: Records
  readonly verbose: boolean
  readonly patienceMs: number
  /** How many steps of fibers it may take. */
  readonly stepsMax: number
  /** What is told of each write of the store; undefined where nobody wants to know. */
  readonly noted: Note | undefined
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
  /** In place of what the seed draws: after how many operations a fiber lets others run at most. */
  readonly pauseWithin?: number | null
  /** In place of what the seed draws: whether transactions of accounts expire. */
  readonly expires?: boolean
  readonly plant?: Plant
  readonly verbose?: boolean
  /** How long everything may take to come to its end once nothing goes wrong any more. Default 45 minutes. */
  readonly patienceMs?: number
  /** How many steps of fibers it may take until it counts as one that never ends. Default 500,000: most take 10,000. */
  readonly stepsMax?: number
  /** Is told what the store is asked to write. */
  readonly noted?: Note
}

/** When every world begins: 2026-01-01T00:00:00Z. */
export const beginning = 1_767_225_600_000

const minutes = 60_000

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

const networkOf = ({ network }: WorldConfig, expires: boolean | undefined): string =>
  expires === undefined || network === "bitcoin" ? network : expires ? "tron" : "ethereum"

/** A world of a seed in which nothing has happened yet. */
export const makeWorld = (options: WorldOptions): World => {
  const {
    patienceMs = 45 * minutes,
    plant = nothingPlanted,
    noted,
    seed,
    stepsMax = 500_000,
    verbose = false,
    without = new Set()
  } = options
  const random = makeRandom(seed)
  const drawn = drawConfig(random.for("config"))
  const { activeMs = drawn.activeMs, expires, pauseWithin = drawn.pauseWithin } = options
  const config = { ...drawn, activeMs, pauseWithin, network: networkOf(drawn, expires) }
  const kernel = makeKernel(random.for("turns"), { startsAt: beginning, stepsMax, pauseWithin })
  const faults = makeFaults({ random: random.for("faults"), without, occupied: () => coverage.occupied() })
  const state = emptyState()
  const currencies = currenciesOf(config.network)
  const history: Array<string> = []
  const hash = createHash("sha256")
  const note = (what: string): void => {
    const line = `${String(kernel.now() - beginning).padStart(8)} ${what}`
    hash.update(`${line}\n`)
    if (verbose) history.push(line)
  }
  const assets = assetsOf(config.network)
  const traits = currencies.networks.of(config.network)
  const { confirmations, finality } = config
  const ofNetwork = { random: random.for("chain"), faults, traits, confirmations, finality, startsAt: beginning, note }
  const accounts =
    config.network === "bitcoin"
      ? null
      : accountNetwork({
          ...ofNetwork,
          contracts: currencies.contracts(config.network),
          second: config.secondNode,
          now: kernel.now
        })
  const bitcoin =
    config.network === "bitcoin"
      ? bitcoinNetwork({
          ...ofNetwork,
          second: config.secondNode,
          now: kernel.now,
          stirred: kernel.stirred
        })
      : null
  const network = accounts ?? bitcoin
  if (network === null) throw new Error(`nobody simulates ${config.network}`)
  const { chain } = network
  const records = noRecords(config.tenants)
  const market = makeMarket({
    random: random.for("market"),
    faults,
    now: kernel.now,
    own: [assets.coin, ...assets.withdrawn]
  })
  const hints = makeHints(random.for("hints"), faults, kernel.start)
  const decimalsOf = (currency: string): number => currencies.byCode(currency)?.decimals ?? 0
  const isPromised = (reference: string): boolean =>
    records.asked.some((asked) => idOf(asked) === reference && asked.variants[0]?.meant.quote != null)
  const onConfirmed = (txHash: string): void => {
    if (chain.deepest(txHash) < config.confirmations) records.early.push(txHash)
  }
  const coverage = makeCoverage(note, onConfirmed)
  return {
    seed,
    config,
    network,
    chain,
    accounts,
    bitcoin,
    assets,
    records,
    kernel,
    random,
    faults,
    state,
    currencies,
    plant,
    verbose,
    patienceMs,
    stepsMax,
    noted,
    note,
    exchange: makeExchange({
      random: random.for("exchange"),
      faults,
      now: kernel.now,
      networkFeeBorneBy: config.networkFeeBorneBy,
      networkFee: assets.withdrawalFee,
      note,
      decimalsOf,
      market,
      conversionFee: config.conversionFee
    }),
    bank: makeBank({
      random: random.for("bank"),
      faults,
      now: kernel.now,
      market,
      hints,
      note,
      decimalsOf,
      isPromised
    }),
    verifier: makeVerifier({ random: random.for("verifier"), faults, now: kernel.now, hints }),
    hints,
    election: makeElection({ state, random: random.for("election"), epochsRise: plant.epochsRise ?? true }),
    market,
    disk: makeDisk({ random: random.for("disk"), faults, start: kernel.start, note }),
    desk: makeSignerDesk(kernel.now, kernel.start),
    trust: config.trust === null ? null : makeTrust(random.for("approvers")),
    coverage,
    history: () => history,
    digest: () => hash.copy().digest("hex").slice(0, 16)
  }
}
