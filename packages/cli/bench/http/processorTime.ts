import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"

/** Processor time that was spent, in microseconds: by this process, and by the database's processes. */
export interface ProcessorTime {
  readonly server: number
  readonly database: number
}

/** One tick of the process accounting of Linux, in microseconds. */
const tick = 10_000

interface Accounted {
  readonly parent: number
  readonly ticks: number
}

/** What the kernel says of a process (proc(5)); undefined where it is gone. The name may hold spaces and ends with the last parenthesis. */
const accounted = (pid: string): Accounted | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
    // its own, and that of children that are gone
    const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0)
    return { parent: Number(fields[1]), ticks }
  } catch {
    return undefined
  }
}

/** The processor time of a database server: of its first process and all that it has started. */
const databaseTime = (postmaster: number): number => {
  let ticks = accounted(String(postmaster))?.ticks ?? 0
  for (const pid of readdirSync("/proc")) {
    const one = /^\d+$/u.test(pid) ? accounted(pid) : undefined
    if (one?.parent === postmaster) ticks += one.ticks
  }
  return ticks * tick
}

/** Makes what says how much processor time has been spent. The database's is told on Linux alone, and is 0 elsewhere. */
export const makeProcessorTime = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ readonly pid: number }>`select pg_backend_pid() as pid`
  const postmaster = accounted(String(row?.pid))?.parent ?? 0
  return Effect.sync((): ProcessorTime => {
    const { system, user } = process.cpuUsage()
    return { server: user + system, database: postmaster === 0 ? 0 : databaseTime(postmaster) }
  })
})
