import { BigInt as Big } from "effect"
import type { Range } from "./Movement.ts"
import { minus, nearest, exactly } from "./Movement.ts"

/** What was found of a currency at a place. */
export interface Comparison {
  readonly ledger: bigint
  readonly observed: bigint
  readonly inFlight: Range
}

/** What the books may say more than is there and in flight together: it lies between the two, both included. */
export const differenceOf = ({ inFlight, ledger, observed }: Comparison): Range =>
  minus(exactly(ledger - observed), inFlight)

/** How much of a difference each open break stands for. */
export interface OpenBreak {
  readonly id: string
  readonly units: bigint
}

/** What a comparison means for the breaks that are open. */
export interface Verdict {
  /** What nothing in flight explains. */
  readonly difference: bigint
  readonly inFlight: bigint
  /** The breaks whose difference has gone, or is less. */
  readonly closed: ReadonlyArray<string>
  /**
   * What has come on top and no open break stands for, or what is left of too much that is less; zero where nothing has, and nothing is. Something is
   * left where it is below zero and breaks are closed.
   */
  readonly opened: bigint
}

/** So many breaks are tried in all combinations, the largest: others may pay small amounts to have many. */
const combinedMax = 12

const sumOf = (open: ReadonlyArray<OpenBreak>): bigint => open.reduce((sum, { units }) => sum + units, 0n)

/** The largest of some breaks, in the order in which they are given. */
export const largest = <Break extends Pick<OpenBreak, "units">>(
  some: ReadonlyArray<Break>,
  most: number
): ReadonlyArray<Break> => {
  const size = ({ units }: Break) => Big.abs(units)
  const kept = new Set(some.toSorted((one, other) => Big.Order(size(other), size(one))).slice(0, most))
  return some.filter((one) => kept.has(one))
}

/** Some breaks, and what they come to. */
interface Combination {
  readonly those: ReadonlyArray<OpenBreak>
  readonly units: bigint
}

/** The largest of some breaks in all combinations, also none of them. */
const togetherOf = (some: ReadonlyArray<OpenBreak>, most: number): ReadonlyArray<Combination> => {
  let all: ReadonlyArray<Combination> = [{ those: [], units: 0n }]
  for (const one of largest(some, most))
    all = all.concat(all.map(({ those, units }) => ({ those: [...those, one], units: units + one.units })))
  return all
}

/** Each break by itself, and the largest in all combinations: the fewest first, and of as many the oldest. */
const combinationsOf = (open: ReadonlyArray<OpenBreak>): ReadonlyArray<Combination> => {
  const several = togetherOf(open, combinedMax).filter(({ those }) => those.length > 1)
  return [
    ...open.map((one) => ({ those: [one], units: one.units })),
    ...several.toSorted((one, other) => one.those.length - other.those.length)
  ]
}

/** The breaks that are open, with what is compared with each of many sums: it is made once, and only where it is needed. */
interface Known {
  readonly open: ReadonlyArray<OpenBreak>
  readonly units: bigint
  /** Those of too much, the largest first. */
  readonly tooMuch: ReadonlyArray<OpenBreak>
  readonly tried: () => {
    readonly combinations: ReadonlyArray<Combination>
    /** What they come to, the least first. */
    readonly sums: ReadonlyArray<bigint>
  }
}

const knownOf = (open: ReadonlyArray<OpenBreak>): Known => {
  let made: ReturnType<Known["tried"]> | undefined
  const make = () => {
    const combinations = combinationsOf(open)
    return { combinations, sums: combinations.map(({ units }) => units).toSorted(Big.Order) }
  }
  return {
    open,
    units: sumOf(open),
    tooMuch: open.filter(({ units }) => units < 0n).toSorted((one, other) => Big.Order(one.units, other.units)),
    tried: () => (made ??= make())
  }
}

/** Whether one of some sums, the least first, lies in a range. */
const isAny = (sums: ReadonlyArray<bigint>, { least, most }: Range): boolean => {
  let [from, to] = [0, sums.length]
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if ((sums[middle] ?? least) < least) from = middle + 1
    else to = middle
  }
  const first = sums[from]
  return first !== undefined && first <= most
}

/**
 * The fewest open breaks without which the rest is a difference that is possible, the oldest first; undefined where none are. They must account for
 * the greater part of what has changed: where little is known of what is in flight, a small change does not mean that a large break is gone.
 */
const goneOf = ({ tried, units: known }: Known, possible: Range): ReadonlyArray<OpenBreak> | undefined => {
  const changed = Big.abs(known - nearest(possible, known))
  const fitting: Range = {
    least: Big.max(known - possible.most, 1n - 2n * changed),
    most: Big.min(known - possible.least, 2n * changed - 1n)
  }
  const { combinations, sums } = tried()
  if (!isAny(sums, fitting)) return undefined
  return combinations.find(({ units }) => nearest(fitting, units) === units)?.those
}

/**
 * The breaks of too much that are less, or gone, where so much has left a place: the largest first, so that they are few. What leaves a place where too
 * much stands is missing only beyond that: nobody can tell which coins they were.
 */
const lessOf = ({ tooMuch }: Known, left: bigint): ReadonlyArray<OpenBreak> => {
  const less: Array<OpenBreak> = []
  let rest = left
  for (const one of tooMuch) {
    if (rest <= 0n) break
    less.push(one)
    rest += one.units
  }
  return less
}

const judgeKnown = (comparison: Comparison, known: Known): Verdict => {
  const apart = comparison.ledger - comparison.observed
  const possible = differenceOf(comparison)
  const closest = nearest(possible, known.units)
  const found = (difference: bigint) => ({ difference, inFlight: apart - difference })
  if (closest === known.units) return { ...found(closest), closed: [], opened: 0n }
  const gone = closest === 0n ? known.open : goneOf(known, possible)
  if (gone !== undefined) return { ...found(known.units - sumOf(gone)), closed: gone.map(({ id }) => id), opened: 0n }
  const less = lessOf(known, closest - known.units)
  return { ...found(closest), closed: less.map(({ id }) => id), opened: closest - (known.units - sumOf(less)) }
}

/**
 * Compares a currency at a place with the books. As long as what is in flight is not known exactly, the difference is taken that is
 * nearest to the breaks which are known already: none is opened that could be in flight, and none is closed that could be there still.
 * Where they cannot all be there, and the going of some explains most of what has changed, these are closed. Where too much stands and something else
 * has left, what is left of too much takes the place of its break. Afterwards the open breaks make up the difference, to the unit: one that is gone is
 * closed, and what came on top is a break of its own.
 */
export const judgeDifference = (comparison: Comparison, open: ReadonlyArray<OpenBreak>): Verdict =>
  judgeKnown(comparison, knownOf(open))

/** So many breaks of a statement are tried in all combinations, the largest. */
const toldMax = 8

/** What some of the breaks of a statement come to: first all of them, then none, then one, then all but one, then any others. */
const toldSums = (told: ReadonlyArray<OpenBreak>): ReadonlyArray<bigint> => {
  const all = sumOf(told)
  const each = told.map(({ units }) => units)
  const some = togetherOf(told, toldMax).map(({ units }) => units)
  return [...new Set([all, 0n, ...each, ...each.map((units) => all - units), ...some])]
}

/**
 * The same beside breaks that a provider's statement has shown: what they come to needs no other break. A statement and a balance can be
 * of different moments, so it is enough that some of them explain the difference.
 */
export const judgeBeside = (
  comparison: Comparison,
  open: ReadonlyArray<OpenBreak>,
  told: ReadonlyArray<OpenBreak>
): Verdict => {
  const known = knownOf(open)
  let first: Verdict | undefined
  for (const sum of toldSums(told)) {
    const verdict = judgeKnown({ ...comparison, observed: comparison.observed + sum }, known)
    const beside = { ...verdict, difference: verdict.difference + sum }
    if (verdict.opened === 0n) return beside
    first ??= beside
  }
  return first ?? judgeKnown(comparison, known)
}
