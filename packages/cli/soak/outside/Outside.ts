import type { CurrencyTable } from "@bursar/core/money/Currency"
import { makeRandom } from "@bursar/simulation/kernel/Random"
import { type Bank, makeBank } from "@bursar/simulation/outside/bank/Bank"
import { type Exchange, makeExchange } from "@bursar/simulation/outside/Exchange"
import { type Faults, makeFaults } from "@bursar/simulation/outside/Faults"
import { type Hints, makeHints } from "@bursar/simulation/outside/Hints"
import { makeMarket, type Market } from "@bursar/simulation/outside/Market"
import { makeVerifier, type Verifier } from "@bursar/simulation/outside/Verifier"
import { assetsOf } from "@bursar/simulation/world/assets"
import { idOf, noRecords, type Records } from "@bursar/simulation/world/Records"
import { Effect, FiberSet } from "effect"
import { terms } from "./terms.ts"

/** What is traded, and what each trader has of it in the beginning. */
export const assets = assetsOf(terms.network)

/** All that a service deals with beside its networks, as the simulation has it, in the time of this process. */
export interface Outside {
  readonly exchange: Exchange
  readonly bank: Bank
  readonly verifier: Verifier
  readonly market: Market
  readonly hints: Hints
  readonly faults: Faults
  /** What those asked for who ask, and were told. */
  readonly records: Records
  readonly currencies: CurrencyTable
}

/** The part of the simulation's rates at which faults strike: enough goes right for a run to get on. */
const share = 0.4

/** By how much a clock of a process may be off. */
const skewMs = 45_000

/** Makes what follows from a seed, for so many tenants that trade. What is under way ends with the scope. */
export const makeOutside = Effect.fn("soak.makeOutside")(function* (
  seed: number,
  tenants: number,
  currencies: CurrencyTable
) {
  const start = yield* FiberSet.makeRuntime<never>()
  const random = makeRandom(seed).for("outside")
  const now = () => Date.now()
  const note = () => undefined
  const decimalsOf = (currency: string): number => currencies.byCode(currency)?.decimals ?? 0
  const faults = makeFaults({
    random: random.for("faults"),
    without: new Set(),
    occupied: () => [],
    shares: [share]
  })
  const records: Records = { ...noRecords(tenants), skewMs }
  const market = makeMarket({ random: random.for("market"), faults, now, own: [assets.coin, ...assets.withdrawn] })
  const hints = makeHints(random.for("hints"), faults, (effect) => void start(effect))
  const isPromised = (reference: string): boolean =>
    records.asked.some((asked) => idOf(asked) === reference && asked.variants[0]?.meant.quote != null)
  const common = { faults, now, market, note, decimalsOf }
  const outside: Outside = {
    exchange: makeExchange({
      ...common,
      random: random.for("exchange"),
      networkFee: assets.withdrawalFee,
      networkFeeBorneBy: terms.networkFeeBorneBy,
      conversionFee: terms.conversionFee
    }),
    bank: makeBank({ ...common, random: random.for("bank"), hints, isPromised }),
    verifier: makeVerifier({ random: random.for("verifier"), faults, now, hints }),
    market,
    hints,
    faults,
    records,
    currencies
  }
  return outside
})
