import { execFile } from "node:child_process"
import { cp, readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { members, root } from "./install.mjs"

const execute = promisify(execFile)

/** Enough for the words of any tool. */
const outputBytesMax = 32 * 1024 * 1024

const readJson = async (file) => JSON.parse(await readFile(file, "utf8"))

/** Runs pnpm in a folder and gives what it printed; rejects with that where it fails. */
export const pnpm = async (args, cwd) => {
  const { packageManager } = await readJson(join(root, "package.json"))
  return execute("npx", ["--yes", "--prefer-offline", packageManager, ...args], { cwd, maxBuffer: outputBytesMax })
}

/** The packages that are published: where they are, and their manifests. */
const publicPackages = async () => {
  const all = await Promise.all(
    members("packages").map(async (member) => {
      const path = join(root, member)
      return { path, manifest: await readJson(join(path, "package.json")) }
    })
  )
  return all.filter(({ manifest }) => manifest.private !== true)
}

/** Whether code imports a package: the console is files that a server gives to browsers. */
const isLibrary = ({ manifest }) => Object.hasOwn(manifest.exports, ".")

/** The packages that are published and imported. */
export const publicLibraries = async () => (await publicPackages()).filter(isLibrary)

/** What of a package is imported by a name of its own: the package itself, and the entry points that its manifest names. */
const entryPoints = ({ exports, name }) =>
  Object.keys(exports)
    .filter((path) => !path.includes("*") && path !== "./package.json")
    .map((path) => `${name}${path.slice(1)}`)

/** Where all checks are run together, the tarballs that were made for all of them. */
const packed = process.env["BURSAR_TARBALLS"]

/** Packs every public package into a folder as it would be published; the packages must have been built. */
export const packAll = async (destination) => {
  const packages = await publicPackages()
  if (packed === undefined) {
    const filters = packages.flatMap(({ manifest }) => ["--filter", manifest.name])
    await pnpm(["--recursive", ...filters, "pack", "--pack-destination", destination], root)
  } else {
    await cp(packed, destination, { recursive: true })
  }
  return packages.map(({ manifest, path }) => ({
    name: manifest.name,
    path,
    isLibrary: isLibrary({ manifest }),
    entryPoints: entryPoints(manifest),
    tarball: join(destination, `${manifest.name.replace("@", "").replace("/", "-")}-${manifest.version}.tgz`)
  }))
}
