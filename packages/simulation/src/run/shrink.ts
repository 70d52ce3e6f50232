import { Effect } from "effect"
import { type FaultKind, faultKinds } from "../outside/Faults.ts"
import { type Outcome, runWorld } from "./runWorld.ts"

/** The command that runs one world again. */
export const replayCommand = (
  { seed, without }: { readonly seed: number; readonly without: ReadonlyArray<FaultKind> },
  activeMs?: number
): string =>
  [
    `npm run simulate -- --world ${seed}`,
    ...(without.length === 0 ? [] : [`--without ${without.join(",")}`]),
    ...(activeMs === undefined ? [] : [`--active ${activeMs}`])
  ].join(" ")

const judgesOf = ({ violations }: Pick<Outcome, "violations">): ReadonlySet<string> =>
  new Set(violations.map((violation) => violation.slice(0, violation.indexOf(":"))))

const failsAlike = (one: Outcome, other: Outcome): boolean => {
  const judges = judgesOf(one)
  return [...judgesOf(other)].some((judge) => judges.has(judge))
}

/** The least of a failing world that fails in the same way: less time, and fewer kinds of faults. */
export const shrink = Effect.fnUntraced(function* (outcome: Outcome) {
  let activeMs = outcome.world.config.activeMs
  let left: ReadonlyArray<FaultKind> = []
  const tried = (without: ReadonlyArray<FaultKind>, ms: number) =>
    runWorld({ seed: outcome.seed, without: new Set(without), activeMs: ms, plant: outcome.world.plant })
  for (let ms = Math.floor(activeMs / 2); ms > 2_000; ms = Math.floor(ms / 2)) {
    if (!failsAlike(outcome, yield* tried(left, ms))) break
    activeMs = ms
  }
  const struck = faultKinds.filter((kind) => outcome.world.faults.struck.has(kind))
  for (const kind of struck) {
    const without = [...left, kind]
    if (failsAlike(outcome, yield* tried(without, activeMs))) left = without
  }
  return { seed: outcome.seed, without: left, activeMs }
})
