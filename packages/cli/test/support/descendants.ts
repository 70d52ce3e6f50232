import { isAlive } from "@bursar/simulator-kit/SupervisedProcess"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { until } from "./until.ts"

const parentOf = (pid: string): number | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The name in parentheses may contain anything; the parent's pid is the second field after it.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])
  } catch {
    // It has ended since it was listed.
    return undefined
  }
}

/** The parent of every process, by pid. */
const parents = (): ReadonlyMap<number, number> => {
  if (!existsSync("/proc/self/stat")) {
    const table = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n")
    return new Map(table.map((line) => line.trim().split(/\s+/u).map(Number) as [number, number]))
  }
  const pids = readdirSync("/proc").filter((name) => /^\d+$/u.test(name))
  return new Map(
    pids.flatMap((pid): ReadonlyArray<[number, number]> => {
      const parent = parentOf(pid)
      return parent === undefined ? [] : [[Number(pid), parent]]
    })
  )
}

/** Every process that this one started, and those that they started. */
export const descendants = (pid: number): Effect.Effect<ReadonlyArray<number>> =>
  Effect.sync(() => {
    const all = parents()
    const below = (parent: number): ReadonlyArray<number> =>
      [...all].flatMap(([child, of]) => (of === parent ? [child, ...below(child)] : []))
    return below(pid)
  })

/** Waits until none of them is left. */
export const untilGone = (pids: ReadonlyArray<number>) =>
  until(
    "the end of all processes",
    Effect.sync(() => pids.filter(isAlive)),
    (left) => left.length === 0
  )
