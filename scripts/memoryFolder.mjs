import { chmodSync, existsSync, lstatSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs"
import { join } from "node:path"
import { isAlive } from "./isAlive.mjs"

/** The file system in memory that Linux has. */
const inMemory = "/dev/shm"
const prefix = "bursar-run-"

const gibibyte = 1024 ** 3
/** What a run writes at most, with room to spare: test databases and their logs above all. */
const roomMin = 6 * gibibyte
/** What has to be left for everything else. */
const freeMin = 10 * gibibyte

const isLarge = () => {
  const { bavail, bsize } = statfsSync(inMemory)
  return bavail * bsize >= roomMin && process.availableMemory() >= freeMin
}

/** Removes what runs that were killed have left, but for what is somebody else's. */
const sweep = () => {
  for (const name of readdirSync(inMemory)) {
    if (!name.startsWith(prefix) || isAlive(Number(name.slice(prefix.length).split("-")[0]))) continue
    const folder = join(inMemory, name)
    if (lstatSync(folder, { throwIfNoEntry: false })?.uid === process.getuid())
      rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Lets this process and those that it starts keep temporary files in memory, where the machine has plenty of it and `TMPDIR` says nothing
 * else. A copied database is some 600 files: on a disk each copy may cost half a second of the processor's time, in memory a fortieth.
 */
export const useMemoryFolder = () => {
  if (process.env["TMPDIR"] || !existsSync(inMemory) || !isLarge()) return
  sweep()
  const folder = mkdtempSync(join(inMemory, `${prefix}${process.pid}-`))
  // servers that may not run as root have their folders in it
  chmodSync(folder, 0o711)
  process.env["TMPDIR"] = folder
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
}
