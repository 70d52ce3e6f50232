import { createHash } from "node:crypto"
import { Clock, Effect, Fiber } from "effect"
import { faultKinds } from "../outside/Faults.ts"
import { seedOfWorld } from "../kernel/Random.ts"
import type { Mistake } from "../plant/mistakes.ts"
import { addTally, emptyTally, type Report, type Tally } from "./Report.ts"
import { openThreads } from "./threads.ts"

/** What a run is to do. */
export interface SimulateOptions {
  readonly worlds: number
  readonly seed: number
  /** Ends after so long, however many worlds are left. */
  readonly untilMs?: number
  /** A mistake that is put into the service. */
  readonly mistake?: Mistake | undefined
  /** How many worlds are run at the same time, each on a thread. Default 1. */
  readonly threads?: number
  /** Takes each line of what the run says. */
  readonly print: (line: string) => void
}

/** What a run came by. */
export interface Simulated {
  readonly failed: ReadonlyArray<Report>
  readonly worlds: number
  readonly transitions: number
  readonly faults: number
  readonly tally: Tally
  readonly minutes: number
}

const table = (title: string, counts: ReadonlyMap<string, number>): ReadonlyArray<string> => [
  title,
  ...[...counts]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, times]) => `  ${String(times).padStart(8)}  ${name}`)
]

const total = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, one) => sum + one, 0)

const failure = ({ again, seed, violations }: Report): ReadonlyArray<string> => [
  `world ${seed} failed`,
  ...violations.slice(0, 10).map((violation) => `  ${violation}`),
  `  again: ${again}`
]

/** Runs worlds, and says what they came by: the same for the same seed on however many threads, but for times. */
export const simulate = Effect.fnUntraced(function* ({
  mistake,
  print,
  seed,
  threads = 1,
  untilMs,
  worlds
}: SimulateOptions) {
  const began = yield* Clock.currentTimeMillis
  const run = yield* openThreads(threads)
  const tally = emptyTally()
  const failed: Array<Report> = []
  const histories = createHash("sha256")
  let ran = 0

  const isOver = Effect.map(Clock.currentTimeMillis, (now) => untilMs !== undefined && now - began > untilMs)
  const begin = (index: number) => Effect.forkChild(run({ seed: seedOfWorld(seed, index), mistake: mistake ?? null }))
  // worlds are begun in a row and reported in it, a few ahead of the one that is waited for
  const ahead: Array<Fiber.Fiber<Report>> = []
  for (let next = 0; ran < worlds; ran++) {
    while (ahead.length < 2 * threads && next < worlds && !(yield* isOver)) ahead.push(yield* begin(next++))
    const first = ahead.shift()
    if (first === undefined) break
    const report = yield* Fiber.join(first)
    histories.update(report.digest)
    addTally(tally, report.tally)
    if (report.violations.length === 0) continue
    failed.push(report)
    for (const line of failure(report)) print(line)
  }

  const { faults, places, transitions } = tally
  for (const line of table("transitions", transitions)) print(line)
  for (const line of table("faults", faults)) print(line)
  const absent = faultKinds.filter((kind) => !faults.has(kind))
  if (absent.length > 0) print(`never struck: ${absent.join(", ")}`)
  const minutes = ((yield* Clock.currentTimeMillis) - began) / 60_000
  print(
    `faults at ${places.size} places and in ${tally.during.size} pairs with a state, histories ${histories.digest("hex").slice(0, 16)}`
  )
  print(`${ran} worlds, ${failed.length} failed, ${total(transitions)} transitions, ${total(faults)} faults`)
  print(
    `in ${(minutes * 60).toFixed(1)} s: ${Math.round(ran / minutes)} worlds and ${Math.round(total(transitions) / minutes)} transitions a minute`
  )
  return {
    failed,
    worlds: ran,
    transitions: total(transitions),
    faults: total(faults),
    tally,
    minutes
  } satisfies Simulated as Simulated
}, Effect.scoped)
