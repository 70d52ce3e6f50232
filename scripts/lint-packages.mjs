/**
 * Packs every public package as it would be published, and lets publint and attw judge the tarball.
 * The packages must have been built.
 */
import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { root } from "./install.mjs"
import { packAll } from "./pack.mjs"

const packagesAtOnce = 2
const execute = promisify(execFile)

/** What a tool has to say against the tarball; nothing if it is content. */
const complaint = (tool, args) =>
  execute(tool, args, { cwd: root }).then(
    () => undefined,
    (error) => `${tool} ${args.join(" ")}\n${error.stdout}${error.stderr}`
  )

const complaintsOf = async ({ isLibrary, tarball }) => {
  const complaints = await Promise.all([
    complaint("publint", [tarball, "--strict"]),
    // what nothing imports has no types
    ...(isLibrary ? [complaint("attw", [tarball, "--profile", "esm-only", "--no-color"])] : [])
  ])
  return complaints.filter((text) => text !== undefined)
}

let failed = 0

const work = async (queue) => {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const complaints = await complaintsOf(next)
    if (complaints.length > 0) failed += 1
    console.log([`${complaints.length === 0 ? "✓" : "✗"} ${next.name}`, ...complaints].join("\n"))
  }
}

const destination = await mkdtemp(join(tmpdir(), "bursar-pack-"))
try {
  const queue = await packAll(destination)
  await Promise.all(Array.from({ length: packagesAtOnce }, () => work(queue)))
} finally {
  await rm(destination, { recursive: true, force: true })
}
process.exitCode = failed === 0 ? 0 : 1
