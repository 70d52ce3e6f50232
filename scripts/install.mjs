import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { run } from "./run.mjs"

/** The repository's root. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const modules = join(root, "node_modules")
const bin = join(modules, ".bin")
const marker = join(modules, ".bursar-installed")

/** The fields of a manifest that decide what an install leaves on the disk. */
const installedFields = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "bin"]

const readJson = (file) => JSON.parse(readFileSync(file, "utf8"))

const foldersIn = (folder) =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => join(folder, name))
    : []

/** The folders of the workspace's members, from the root: those right under a folder, and those of a group in it. */
export const members = (folder) =>
  foldersIn(folder)
    .flatMap((one) => (existsSync(join(root, one, "package.json")) ? [one] : foldersIn(one)))
    .filter((one) => existsSync(join(root, one, "package.json")))
    .sort()

const manifests = () =>
  [".", ...members("packages"), ...members("examples")]
    .map((member) => join(member, "package.json"))
    .filter((file) => existsSync(join(root, file)))
    .sort()

/** Changes whenever an install could leave something else than what is there, and only then. */
const fingerprint = () => {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`)
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml"]) hash.update(readFileSync(join(root, file)))
  for (const file of manifests()) {
    const manifest = readJson(join(root, file))
    hash.update(JSON.stringify([file, ...installedFields.map((field) => manifest[field])]))
  }
  return hash.digest("hex")
}

/** An install that was cut short leaves no marker, so the next command takes it up again. */
const isInstalled = (expected) =>
  existsSync(join(bin, "node")) && existsSync(marker) && readFileSync(marker, "utf8") === expected

/** npm puts node_modules/.bin first on the path; the installer must not run on the Node that it may replace. */
const pathWithoutModules = () =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => folder !== bin)
    .join(delimiter)

/** The environment for the workspace's tools: its pinned Node, and its tools, come first. */
export const environment = () => ({ ...process.env, PATH: `${bin}${delimiter}${pathWithoutModules()}` })

/**
 * Installs the dependencies unless the ones that the lockfile asks for are there: then it reads a few
 * files and touches neither npx nor the network. Answers with an exit code.
 */
export const ensureInstalled = async () => {
  const expected = fingerprint()
  if (isInstalled(expected)) return 0

  const pnpm = readJson(join(root, "package.json")).packageManager
  console.error(`Installing dependencies with ${pnpm}; the first time takes a minute or two.`)
  const startedAt = Date.now()
  const code = await run(
    "npx",
    [
      "--yes",
      "--prefer-offline",
      pnpm,
      "install",
      "--frozen-lockfile",
      "--prefer-offline",
      "--config.confirm-modules-purge=false"
    ],
    // What it tells goes beside what the command itself prints: programs read that.
    { cwd: root, env: { ...process.env, PATH: pathWithoutModules() }, stdio: ["inherit", process.stderr.fd, "inherit"] }
  )
  if (code !== 0) {
    console.error(
      `Dependencies could not be installed: ${pnpm} ended with code ${code}. ` +
        "Its last lines above say why; a first install needs the npm registry. Run the same command again to go on."
    )
    return code
  }
  writeFileSync(marker, expected)
  console.error(`Installed in ${Math.round((Date.now() - startedAt) / 1000)} s.`)
  return 0
}
