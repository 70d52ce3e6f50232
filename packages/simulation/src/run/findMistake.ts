import { Effect } from "effect"
import { runWorld } from "./runWorld.ts"
import { type Mistake, mistakes } from "../plant/mistakes.ts"

/** A world in which a mistake shows, and the judges that find it there. */
export interface Finding {
  readonly seed: number
  readonly judges: ReadonlySet<string>
}

/** Worlds that are to show mistakes are short: what a mistake does is seen soon, or in another world. Fibers give way in them as in a real process. */
export const shortWorld = { activeMs: 60_000, patienceMs: 300_000, pauseWithin: null }

/** The judges that find something in the short world of a seed, with a mistake or without one. */
export const judgesOf = (seed: number, mistake?: Mistake): Effect.Effect<ReadonlySet<string>> =>
  Effect.map(
    runWorld({ seed, ...shortWorld, ...(mistake !== undefined && { plant: mistakes[mistake] }) }),
    ({ violations }) => new Set(violations.map((violation) => violation.slice(0, violation.indexOf(":"))))
  )

/** The worlds of this process that were run without a mistake, and whether all was right in them. */
const clean = new Map<number, boolean>()

const isClean = Effect.fnUntraced(function* (seed: number) {
  const known = clean.get(seed)
  if (known !== undefined) return known
  const right = (yield* judgesOf(seed)).size === 0
  clean.set(seed, right)
  return right
})

/**
 * The first of some worlds in a row in which a judge finds a mistake, and nothing without it: any judge where none is named. Undefined
 * where none does.
 */
export const findMistake = Effect.fnUntraced(function* (
  mistake: Mistake,
  { from, judge, worlds }: { readonly from: number; readonly worlds: number; readonly judge?: string }
): Effect.fn.Return<Finding | undefined> {
  for (let seed = from; seed < from + worlds; seed++) {
    const judges = yield* judgesOf(seed, mistake)
    const found = judge === undefined ? judges.size > 0 : judges.has(judge)
    if (found && (yield* isClean(seed))) return { seed, judges }
  }
  return undefined
})
