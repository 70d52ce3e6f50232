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

/** With more open breaks than that it is not looked for which of them have gone together. */
const combinedMax = 12

const sumOf = (open: ReadonlyArray<OpenBreak>): bigint => open.reduce((sum, { units }) => sum + units, 0n)

/**
 * The fewest open breaks without which the rest is a difference that is possible, the oldest first; undefined where none are. They must account for
 * the greater part of what has changed: where little is known of what is in flight, a small change does not mean that a large break is gone.
 */
const goneOf = (open: ReadonlyArray<OpenBreak>, possible: Range): ReadonlyArray<OpenBreak> | undefined => {
  const known = sumOf(open)
  const changed = nearest(possible, known)
  const some = open.slice(0, combinedMax)
  let best: ReadonlyArray<OpenBreak> | undefined
  for (let chosen = 1; chosen < 2 ** some.length; chosen++) {
    const those = some.filter((_, index) => (chosen & (2 ** index)) !== 0)
    const rest = known - sumOf(those)
    const fits = nearest(possible, rest) === rest && Big.abs(rest - changed) < Big.abs(known - changed)
    if (fits && (best === undefined || those.length < best.length)) best = those
  }
  return best
}

/**
 * The breaks of too much that are less, or gone, where so much has left a place: the largest first, so that they are few. What leaves a place where too
 * much stands is missing only beyond that: nobody can tell which coins they were.
 */
const lessOf = (open: ReadonlyArray<OpenBreak>, left: bigint): ReadonlyArray<OpenBreak> => {
  const tooMuch = open.filter(({ units }) => units < 0n).toSorted((one, other) => Big.Order(one.units, other.units))
  return tooMuch.filter((_, index) => -sumOf(tooMuch.slice(0, index)) < left)
}

/**
 * Compares a currency at a place with the books. As long as what is in flight is not known exactly, the difference is taken that is
 * nearest to the breaks which are known already: none is opened that could be in flight, and none is closed that could be there still.
 * Where they cannot all be there, and the going of some explains most of what has changed, these are closed. Where too much stands and something else
 * has left, what is left of too much takes the place of its break. Afterwards the open breaks make up the difference, to the unit: one that is gone is
 * closed, and what came on top is a break of its own.
 */
export const judgeDifference = (comparison: Comparison, open: ReadonlyArray<OpenBreak>): Verdict => {
  const known = sumOf(open)
  const apart = comparison.ledger - comparison.observed
  const possible = differenceOf(comparison)
  const closest = nearest(possible, known)
  const found = (difference: bigint) => ({ difference, inFlight: apart - difference })
  if (closest === known) return { ...found(known), closed: [], opened: 0n }
  const gone = closest === 0n ? open : goneOf(open, possible)
  if (gone !== undefined) return { ...found(known - sumOf(gone)), closed: gone.map(({ id }) => id), opened: 0n }
  const less = lessOf(open, closest - known)
  return { ...found(closest), closed: less.map(({ id }) => id), opened: closest - (known - sumOf(less)) }
}

/** With more breaks than that of a statement it is not tried which of them the place shows. */
const toldMax = 8

/** What some of the breaks of a statement come to: first all of them, then none, then any others. */
const toldSums = (told: ReadonlyArray<OpenBreak>): ReadonlyArray<bigint> => {
  const some = told.slice(0, toldMax)
  const others = Array.from({ length: 2 ** some.length }, (_, chosen) =>
    sumOf(some.filter((__, index) => (chosen & (2 ** index)) !== 0))
  )
  return [...new Set([sumOf(told), 0n, ...others])]
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
  const verdicts = toldSums(told).map((sum) => {
    const verdict = judgeDifference({ ...comparison, observed: comparison.observed + sum }, open)
    return { ...verdict, difference: verdict.difference + sum }
  })
  return verdicts.find(({ opened }) => opened === 0n) ?? verdicts[0] ?? judgeDifference(comparison, open)
}
