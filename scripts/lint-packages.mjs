/**
 * Packs every public package as it would be published, and lets publint and attw judge the tarball.
 * The packages must have been built.
 */
import { execFile } from "node:child_process"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { root } from "./install.mjs"

const packagesAtOnce = 2
const execute = promisify(execFile)

const readJson = async (file) => JSON.parse(await readFile(file, "utf8"))

const { packageManager } = await readJson(join(root, "package.json"))

const publicPackages = async () => {
  const folders = await readdir(join(root, "packages"))
  const all = await Promise.all(
    folders.map(async (folder) => {
      const path = join(root, "packages", folder)
      return { path, ...(await readJson(join(path, "package.json"))) }
    })
  )
  return all.filter((entry) => entry.private !== true)
}

const pack = async (path, destination) => {
  await execute("npx", ["--yes", "--prefer-offline", packageManager, "pack", "--pack-destination", destination], {
    cwd: path
  })
  const [tarball] = await readdir(destination)
  return join(destination, tarball)
}

/** What a tool has to say against the tarball; nothing if it is content. */
const complaint = (tool, args) =>
  execute(tool, args, { cwd: root }).then(
    () => undefined,
    (error) => `${tool} ${args.join(" ")}\n${error.stdout}${error.stderr}`
  )

const lint = async ({ name, path }) => {
  const destination = await mkdtemp(join(tmpdir(), "bursar-pack-"))
  try {
    const tarball = await pack(path, destination)
    const complaints = await Promise.all([
      complaint("publint", [tarball, "--strict"]),
      complaint("attw", [tarball, "--profile", "esm-only", "--no-color"])
    ])
    return { name, complaints: complaints.filter((text) => text !== undefined) }
  } catch (error) {
    return { name, complaints: [error.message] }
  } finally {
    await rm(destination, { recursive: true, force: true })
  }
}

const queue = await publicPackages()
let failed = 0

const work = async () => {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { name, complaints } = await lint(next)
    if (complaints.length > 0) failed += 1
    console.log([`${complaints.length === 0 ? "✓" : "✗"} ${name}`, ...complaints].join("\n"))
  }
}
await Promise.all(Array.from({ length: packagesAtOnce }, work))
process.exitCode = failed === 0 ? 0 : 1
