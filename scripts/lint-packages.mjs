/**
 * Packs every public package as it would be published, and lets publint and attw judge the tarball.
 * The packages must have been built.
 */
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { root } from "./install.mjs"
import { packAll } from "./pack.mjs"

const packagesAtOnce = 2
const execute = promisify(execFile)

/** Ways of importing that our packages do not offer: they are ESM, named by `exports`. */
const notOffered = new Set(["node10", "node16-cjs"])

/** What publint has to say against a tarball; nothing if it is content. */
const publintComplaints = (tarball) =>
  execute("publint", [tarball, "--strict"], { cwd: root }).then(
    () => [],
    (error) => [`publint\n${error.stdout}${error.stderr}`]
  )

/** What attw has to say against a tarball. In this process: it would load the compiler for each package. */
const attwComplaints = async (tarball) => {
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(await readFile(tarball))))
  if (analysis.types === false) return ["attw: no types"]
  return analysis.problems
    .filter(({ resolutionKind }) => !notOffered.has(resolutionKind))
    .map((problem) => `attw: ${JSON.stringify(problem)}`)
}

const complaintsOf = async ({ isLibrary, tarball }) => [
  ...(await publintComplaints(tarball)),
  // what nothing imports has no types
  ...(isLibrary ? await attwComplaints(tarball) : [])
]

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
