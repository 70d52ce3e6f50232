import { readdirSync, readFileSync } from "node:fs"

/** Linux counts CPU time in hundredths of a second. */
const tickMicros = 10_000

/**
 * The CPU time, in microseconds, that the processes of a PostgreSQL server have used so far; null where there is no
 * /proc.
 */
export const serverCpuMicros = (postmaster: number): number | null => {
  try {
    let ticks = 0
    for (const entry of readdirSync("/proc")) {
      if (!/^\d+$/u.test(entry)) continue
      const stat = statOf(entry)
      if (stat === undefined) continue
      const [, parent, ...rest] = stat
      if (Number(entry) !== postmaster && Number(parent) !== postmaster) continue
      ticks += Number(rest[9]) + Number(rest[10])
      // those of its children that have ended
      if (Number(entry) === postmaster) ticks += Number(rest[11]) + Number(rest[12])
    }
    return ticks * tickMicros
  } catch {
    return null
  }
}

/** The fields of /proc/<pid>/stat after the name, which may hold anything; undefined where the process has ended. */
const statOf = (pid: string): ReadonlyArray<string> | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    return text.slice(text.lastIndexOf(")") + 2).split(" ")
  } catch {
    return undefined
  }
}
