import { Effect, Schedule } from "effect"
import { existsSync } from "node:fs"
import { readdir, readFile, readlink, rm } from "node:fs/promises"
import { join } from "node:path"
import { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { file } from "@bursar/simulator-kit/files"
import { isAlive, supervisorMark } from "@bursar/simulator-kit/SupervisedProcess"

/** How often to look, ten times a second, whether a server on its way down is gone. */
const goneChecksMax = 200

/** What a process says about itself under /proc; undefined where there is no such process or no /proc. */
const quietly = (read: () => Promise<string>) => Effect.orElseSucceed(Effect.tryPromise(read), () => undefined)

/** Processes that work in the cluster's directory, as every PostgreSQL process does, by pid. */
const processesIn = (directory: string) =>
  Effect.gen(function* () {
    const entries = yield* Effect.orElseSucceed(
      Effect.tryPromise(() => readdir("/proc")),
      (): Array<string> => []
    )
    const found = yield* Effect.forEach(
      entries.filter((entry) => /^\d+$/u.test(entry)),
      (entry) =>
        Effect.map(
          quietly(() => readlink(`/proc/${entry}/cwd`)),
          (cwd) => (cwd === directory ? [Number(entry)] : [])
        )
    )
    return found.flat()
  })

const postmasterOf = (pidFile: string) =>
  Effect.map(
    quietly(() => readFile(pidFile, "utf8")),
    (text) => {
      const pid = Number((text ?? "").split("\n")[0])
      return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined
    }
  )

/** Who looks after the process: a living Bursar, a supervisor that has just lost its Bursar, or nobody. */
const keeperOf = (pid: number) =>
  Effect.gen(function* () {
    const stat = yield* quietly(() => readFile(`/proc/${pid}/stat`, "utf8"))
    // The name in parentheses may contain anything; the parent's pid is the second field after it.
    const parent = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[1]
    const command = yield* quietly(() => readFile(`/proc/${parent}/cmdline`, "utf8"))
    const words = command?.split("\0") ?? []
    const mark = words.indexOf(supervisorMark)
    if (mark < 0) return "nobody"
    // A process that was killed and not yet reaped still has its pid, but no command line.
    const owner = yield* quietly(() => readFile(`/proc/${words[mark + 1]}/cmdline`, "utf8"))
    return owner === undefined || owner === "" ? "supervisor" : "bursar"
  })

const still = (directory: string, pidFile: string) =>
  Effect.gen(function* () {
    if (existsSync("/proc/self/cwd")) return yield* processesIn(directory)
    const pid = yield* postmasterOf(pidFile)
    return pid !== undefined && isAlive(pid) ? [pid] : []
  })

/**
 * Clears what a killed run may have left: a server on its way down is waited for, an orphaned one is stopped, and a
 * stale `postmaster.pid` is removed once no process works in the directory (in a container its pid is soon somebody
 * else's).
 *
 * Fails with `data_dir_in_use` if a living Bursar uses the cluster.
 */
export const clearLeftover = Effect.fn("leftover.clearLeftover")(function* (
  directory: string
): Effect.fn.Return<void, DevnetError> {
  const pidFile = join(directory, "postmaster.pid")
  if (!existsSync(pidFile)) return
  const postmaster = yield* postmasterOf(pidFile)
  const inUse = (pids: ReadonlyArray<number>) =>
    new DevnetError({
      code: "data_dir_in_use",
      message: `${directory} is used by process ${pids.join(", ")}`,
      hint: "Another Bursar runs on this data directory. Stop it first, or choose another directory."
    })
  const gone = Effect.flatMap(still(directory, pidFile), (pids) =>
    pids.length === 0 ? Effect.void : Effect.fail(inUse(pids))
  )
  const found = yield* still(directory, pidFile)
  if (postmaster !== undefined && found.includes(postmaster)) {
    const keeper = yield* keeperOf(postmaster)
    if (keeper === "bursar") return yield* inUse(found)
    // Only where /proc proves that the process is this cluster's own is it ours to stop.
    if (keeper === "nobody" && existsSync("/proc/self/cwd")) {
      yield* Effect.ignore(Effect.try(() => process.kill(postmaster, "SIGINT")))
    }
  }
  yield* Effect.retry(gone, { schedule: Schedule.spaced("100 millis"), times: goneChecksMax })
  yield* file(`remove ${pidFile}`, () => rm(pidFile, { force: true }))
})
