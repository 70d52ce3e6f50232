import { Effect } from "effect"
import { type Mistake, mistakes } from "../plant/mistakes.ts"
import { nothingPlanted } from "../world/Plant.ts"
import { type Report, reportOf } from "./Report.ts"
import { runWorld } from "./runWorld.ts"
import { replayCommand, shrink } from "./shrink.ts"

/** A world to be run, with a mistake in its service where one is named. */
export interface Task {
  readonly seed: number
  readonly mistake: Mistake | null
  /** In place of how many steps a world may take. */
  readonly stepsMax?: number
}

/** Runs a world and reports it. One that fails is run again until the least of it is known that fails, but for one that does not end. */
export const runReported = ({ mistake, seed, stepsMax }: Task): Effect.Effect<Report> =>
  Effect.gen(function* () {
    const plant = mistake === null ? nothingPlanted : mistakes[mistake]
    const outcome = yield* runWorld({ seed, plant, ...(stepsMax !== undefined && { stepsMax }) })
    const report = reportOf(outcome)
    if (report.violations.length === 0) return report
    const named = (command: string): string => (mistake === null ? command : `${command} --mistake "${mistake}"`)
    // what never ends is not run many times over
    if (report.violations.some((violation) => violation.startsWith("end:")))
      return { ...report, again: named(replayCommand({ seed, without: [] })) }
    const least = yield* shrink({ ...outcome, violations: report.violations })
    return { ...report, again: named(replayCommand(least, least.activeMs)) }
  })
