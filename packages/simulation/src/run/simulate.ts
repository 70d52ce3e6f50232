import { createHash } from "node:crypto"
import { Clock, Effect } from "effect"
import { type FaultKind, faultKinds } from "../outside/Faults.ts"
import { seedOfWorld } from "../kernel/Random.ts"
import { count } from "../world/Coverage.ts"
import { nothingPlanted, type Plant } from "../world/Plant.ts"
import { type Outcome, runWorld } from "./runWorld.ts"

/** What a run is to do. */
export interface SimulateOptions {
  readonly worlds: number
  readonly seed: number
  /** Ends after so long, however many worlds are left. */
  readonly untilMs?: number
  /** A mistake that is put into the service. */
  readonly plant?: Plant
  /** Takes each line of what the run says. */
  readonly print: (line: string) => void
}

/** What a run came by. */
export interface Simulated {
  readonly failed: ReadonlyArray<Outcome>
  readonly worlds: number
  readonly transitions: number
}

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

const judgesOf = ({ violations }: Outcome): ReadonlySet<string> =>
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

const table = (title: string, counts: ReadonlyMap<string, number>): ReadonlyArray<string> => [
  title,
  ...[...counts]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, times]) => `  ${String(times).padStart(8)}  ${name}`)
]

const total = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, one) => sum + one, 0)

/** Whether something happened in a world at all: a world that exercises nothing proves nothing. */
const exercised = ({ world: { coverage, faults } }: Outcome): boolean =>
  coverage.transitions.size > 0 && faults.struck.size > 0

/** Runs worlds one after the other, and says what they came by. */
export const simulate = Effect.fnUntraced(function* ({
  plant = nothingPlanted,
  print,
  seed,
  untilMs,
  worlds
}: SimulateOptions) {
  const began = yield* Clock.currentTimeMillis
  const [transitions, faults, places] = [
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, number>()
  ]
  const failed: Array<Outcome> = []
  let ran = 0
  const histories = createHash("sha256")
  for (; ran < worlds; ran++) {
    if (untilMs !== undefined && (yield* Clock.currentTimeMillis) - began > untilMs) break
    const outcome = yield* runWorld({ seed: seedOfWorld(seed, ran), plant })
    const { coverage, faults: struck } = outcome.world
    histories.update(outcome.digest)
    for (const [name, times] of coverage.transitions) count(transitions, name, times)
    for (const [name, times] of struck.struck) count(faults, name, times)
    for (const [name, times] of struck.places) count(places, name, times)
    const violations = exercised(outcome) ? outcome.violations : [...outcome.violations, "coverage: nothing happened"]
    if (violations.length === 0) continue
    failed.push({ ...outcome, violations })
    print(`world ${outcome.seed} failed`)
    for (const violation of violations.slice(0, 10)) print(`  ${violation}`)
    const least = yield* shrink({ ...outcome, violations })
    print(`  again: ${replayCommand(least, least.activeMs)}`)
  }
  for (const line of table("transitions", transitions)) print(line)
  for (const line of table("faults", faults)) print(line)
  const absent = faultKinds.filter((kind) => !faults.has(kind))
  if (absent.length > 0) print(`never struck: ${absent.join(", ")}`)
  const minutes = ((yield* Clock.currentTimeMillis) - began) / 60_000
  print(`faults at ${places.size} places, histories ${histories.digest("hex").slice(0, 16)}`)
  print(`${ran} worlds, ${failed.length} failed, ${total(transitions)} transitions, ${total(faults)} faults`)
  print(
    `in ${(minutes * 60).toFixed(1)} s: ${Math.round(ran / minutes)} worlds and ${Math.round(total(transitions) / minutes)} transitions a minute`
  )
  return { failed, worlds: ran, transitions: total(transitions) } satisfies Simulated
})
