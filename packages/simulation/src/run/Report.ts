import type { FaultKind } from "../outside/Faults.ts"
import { count } from "../world/Coverage.ts"
import type { Outcome } from "./runWorld.ts"

/** What happened in some worlds, and how often. */
export interface Tally {
  /** By `<record>: <before> → <after>`. */
  readonly transitions: Map<string, number>
  readonly faults: Map<FaultKind, number>
  /** By fault and what it struck. */
  readonly places: Map<string, number>
  /** By fault, and by the state of something that was open when it struck. */
  readonly during: Map<string, number>
}

/** What is told of one world, by whichever thread ran it. */
export interface Report {
  readonly seed: number
  readonly digest: string
  readonly violations: ReadonlyArray<string>
  readonly tally: Tally
  /** The command that runs the least of it again, where it failed. */
  readonly again: string | null
}

/** Nothing yet. */
export const emptyTally = (): Tally => ({
  transitions: new Map(),
  faults: new Map(),
  places: new Map(),
  during: new Map()
})

const add = <K extends string>(counts: Map<K, number>, more: ReadonlyMap<K, number>): void => {
  for (const [name, times] of more) count(counts, name, times)
}

/** Adds what happened in a world to what happened in others. */
export const addTally = (all: Tally, one: Tally): void => {
  add(all.transitions, one.transitions)
  add(all.faults, one.faults)
  add(all.places, one.places)
  add(all.during, one.during)
}

/** In so short a time it can be that nothing goes wrong. */
const luckyMs = 20_000

/** Whether something happened in a world at all, and went wrong: a world that exercises nothing proves nothing. */
const isExercised = ({ world: { config, coverage, faults } }: Outcome): boolean =>
  coverage.transitions.size > 0 && (faults.struck.size > 0 || config.activeMs < luckyMs)

/** A report of a world, where it is not known yet how little of it fails. */
export const reportOf = (outcome: Outcome): Report => {
  const { coverage, faults } = outcome.world
  return {
    seed: outcome.seed,
    digest: outcome.digest,
    violations: isExercised(outcome) ? outcome.violations : [...outcome.violations, "coverage: nothing happened"],
    tally: {
      transitions: new Map(coverage.transitions),
      faults: new Map(faults.struck),
      places: new Map(faults.places),
      during: new Map(faults.during)
    },
    again: null
  }
}
