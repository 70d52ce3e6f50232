/**
 * Runs every static check, two at a time, and says which failed. What several of them need is made once, before them: the
 * built packages, and their tarballs. Names run those checks alone, `--except NAME` all but those. `--counts FILE` writes into a file how
 * many passed and how many failed.
 */
import { spawn, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { useMemoryFolder } from "./memoryFolder.mjs"
import { packAll } from "./pack.mjs"
import { root } from "./install.mjs"

/** Most are done by one processor alone. */
const checksAtOnce = 2

/** A check that takes longer is stuck. */
const checkMsMax = 20 * 60_000

/** The checks, as the scripts of package.json are called. Those that take longest come first: nothing has to wait for them at the end. */
const checks = [
  "packages:try",
  ...(existsSync(join(root, "docs/.vitepress/config.ts")) ? ["docs:build"] : []),
  "typecheck",
  "packages",
  "deps",
  "unused",
  "lint",
  "api-report:check",
  "format:check",
  "workspace"
]

/** Runs a script of package.json; gives whether it was content. It prints what it said when it has ended, so that no two are mixed. */
const check = (name, env) =>
  new Promise((resolve) => {
    const startedAt = Date.now()
    const options = { cwd: root, env: { ...process.env, ...env }, timeout: checkMsMax }
    const child = spawn("npm", ["run", "--silent", name], { stdio: ["ignore", "pipe", "pipe"], ...options })
    const said = []
    for (const output of [child.stdout, child.stderr]) output.on("data", (chunk) => said.push(chunk))
    child.once("close", (code) => {
      const took = `${Math.round((Date.now() - startedAt) / 1000)} s`
      console.log(`\n── ${name}: ${code === 0 ? "clean" : "not clean"} (${took})\n${Buffer.concat(said)}`)
      resolve(code === 0)
    })
  })

/** Builds and packs; gives what tells the checks of it. Where that fails, those that need it say so themselves. */
const prepare = async (tarballs) => {
  console.log("\n── build")
  const { status } = spawnSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" })
  if (status !== 0) return {}
  const isPacked = await packAll(tarballs).then(
    () => true,
    () => false
  )
  return isPacked ? { BURSAR_BUILT: "1", BURSAR_TARBALLS: tarballs } : {}
}

const failed = []

const work = async (queue, env) => {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    if (!(await check(next, env))) failed.push(next)
  }
}

const { positionals, values } = parseArgs({
  options: { counts: { type: "string" }, except: { type: "string", multiple: true, default: [] } },
  allowPositionals: true
})
const unknown = [...positionals, ...values.except].filter((name) => !checks.includes(name))
if (unknown.length > 0) {
  console.error(`There is no check of the name ${unknown.join(", ")}. There are: ${checks.join(", ")}`)
  process.exit(64)
}
const chosen = checks.filter(
  (name) => (positionals.length === 0 || positionals.includes(name)) && !values.except.includes(name)
)
useMemoryFolder()
const tarballs = await mkdtemp(join(tmpdir(), "bursar-checks-"))
try {
  const env = await prepare(tarballs)
  const queue = [...chosen]
  await Promise.all(Array.from({ length: env.BURSAR_BUILT === undefined ? 1 : checksAtOnce }, () => work(queue, env)))
} finally {
  await rm(tarballs, { recursive: true, force: true })
}

if (values.counts !== undefined) await writeFile(values.counts, `${chosen.length - failed.length} ${failed.length}\n`)
console.log(failed.length === 0 ? `\nAll ${chosen.length} checks are clean.` : `\nNot clean: ${failed.join(", ")}.`)
process.exitCode = failed.length === 0 ? 0 : 1
