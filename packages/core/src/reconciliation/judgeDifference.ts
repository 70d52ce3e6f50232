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
const largest = (some: ReadonlyArray<OpenBreak>, most: number): ReadonlyArray<OpenBreak> => {
  const size = ({ units }: OpenBreak) => Big.abs(units)
  const kept = new Set(some.toSorted((one, other) => Big.Order(size(other), size(one))).slice(0, most))
  return some.filter((one) => kept.has(one))
}

/** Some breaks, and what they come to. */
interface Combination {
  readonly those: ReadonlyArray<OpenBreak>
  readonly units: bigint
}

/** Each break by itself, and the largest in all combinations: the fewest first, and of as many the oldest. */
const combinationsOf = (open: ReadonlyArray<OpenBreak>): ReadonlyArray<Combination> => {
  let together: ReadonlyArray<Combination> = [{ those: [], units: 0n }]
  for (const one of largest(open, combinedMax))
    together = [
      ...together,
      ...together.map(({ those, units }) => ({ those: [...those, one], units: units + one.units }))
    ]
  const several = together.filter(({ those }) => those.length > 1)
  return [
    ...open.map((one) => ({ those: [one], units: one.units })),
    ...several.toSorted((one, other) => one.those.length - other.those.length)
  ]
}

/**
 * The fewest open breaks without which the rest is a difference that is possible, the oldest first; undefined where none are. They must account for
 * the greater part of what has changed: where little is known of what is in flight, a small change does not mean that a large break is gone.
 */
const goneOf = (open: ReadonlyArray<OpenBreak>, possible: Range): ReadonlyArray<OpenBreak> | undefined => {
  const known = sumOf(open)
  const changed = nearest(possible, known)
  const gone = combinationsOf(open).find(({ units }) => {
    const rest = known - units
    return nearest(possible, rest) === rest && Big.abs(rest - changed) < Big.abs(known - changed)
  })
  return gone?.those
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

/** So many breaks of a statement are tried in all combinations, the largest. */
const toldMax = 8

/** What some of the breaks of a statement come to: first all of them, then none, then one, then all but one, then any others. */
const toldSums = (told: ReadonlyArray<OpenBreak>): ReadonlyArray<bigint> => {
  const all = sumOf(told)
  const each = told.map(({ units }) => units)
  let some: ReadonlyArray<bigint> = [0n]
  for (const { units } of largest(told, toldMax)) some = [...some, ...some.map((sum) => sum + units)]
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
  const verdicts = toldSums(told).map((sum) => {
    const verdict = judgeDifference({ ...comparison, observed: comparison.observed + sum }, open)
    return { ...verdict, difference: verdict.difference + sum }
  })
  return verdicts.find(({ opened }) => opened === 0n) ?? verdicts[0] ?? judgeDifference(comparison, open)
}
