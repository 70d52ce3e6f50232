import { Effect, type Scope } from "effect"
import { execFile } from "node:child_process"
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** A folder with little room, which can be taken from it. */
export interface LimitedDisk {
  readonly folder: string
  /** Takes all the room that is left, for a while. */
  readonly fill: (ms: number) => Effect.Effect<void>
}

/** Enough for what a soak stores, and soon filled. */
const megabytes = 2_048

const mebibyte = 1024 * 1024

const run = (program: string, ...args: ReadonlyArray<string>) =>
  Effect.callback<boolean>((resume) => {
    execFile(program, args, (error) => resume(Effect.succeed(error === null)))
  })

/** Writes until nothing more fits. */
const writeAll = (path: string, folder: string): void => {
  const { bavail, bsize } = statfsSync(folder)
  const chunk = Buffer.alloc(mebibyte)
  for (let left = bavail * bsize; left > 0; left -= mebibyte) {
    try {
      writeFileSync(path, left < mebibyte ? chunk.subarray(0, left) : chunk, { flag: "a" })
    } catch {
      return // others have taken the rest
    }
  }
}

/** Mounts a file system in memory; undefined for who has no right to. Gone with the scope. */
export const openLimitedDisk = Effect.fn("soak.openLimitedDisk")(function* (
  folder: string
): Effect.fn.Return<LimitedDisk | undefined, never, Scope.Scope> {
  mkdirSync(folder, { recursive: true })
  const mounted = yield* Effect.acquireRelease(
    run("mount", "-t", "tmpfs", "-o", `size=${megabytes}m,mode=0755`, "tmpfs", folder),
    (done) => (done ? run("umount", "--lazy", folder) : Effect.void)
  )
  const filler = join(folder, "filler")
  const disk: LimitedDisk = {
    folder,
    fill: (ms) =>
      Effect.acquireUseRelease(
        Effect.sync(() => writeAll(filler, folder)),
        () => Effect.sleep(ms),
        () => Effect.sync(() => rmSync(filler, { force: true }))
      )
  }
  return mounted ? disk : undefined
})
