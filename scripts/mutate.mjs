#!/usr/bin/env node
/**
 * `npm run mutate -- money ledger`: changes the domain, folder by folder, and looks whether its own tests notice. What a run has found of a
 * folder is kept in packages/core/.mutation, and only what has changed since is tried again. `--table` prints what is kept as a table.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { environment, root } from "./install.mjs"
import { run } from "./run.mjs"

const core = join(root, "packages", "core")
const kept = join(core, ".mutation")

/** Whose tests are to find the mutants of a folder, beside those of its own: they go through it on purpose. */
const alsoTestedBy = {
  address: ["incoming"],
  adjustment: ["operation", "engine", "limit"],
  custody: ["withdrawal", "swap", "review"],
  customer: ["account"],
  deposit: ["incoming"],
  destination: ["withdrawal"],
  grant: ["granting", "leaving"],
  idempotency: ["signature", "engine"],
  leaving: ["withdrawal"],
  ledger: ["operation", "engine"],
  limit: ["payout"],
  operation: ["engine"],
  payout: ["limit"],
  pricing: ["swap"],
  resolution: ["transfer"],
  review: ["limit"],
  sweep: ["incoming"],
  transaction: ["payout", "sweep"],
  transfer: ["limit"],
  withdrawal: ["limit", "leaving"]
}

const columns = ["Killed", "Timeout", "Survived", "NoCoverage", "Ignored"]

const countsOf = (folder) => {
  const { files } = JSON.parse(readFileSync(join(kept, `${folder}.json`), "utf8"))
  const statuses = Object.values(files).flatMap(({ mutants }) => mutants.map(({ status }) => status))
  return columns.map((status) => statuses.filter((one) => one === status).length)
}

const row = (name, counts) => {
  const [killed, timeout, survived, uncovered] = counts
  const found = killed + timeout
  const score = ((100 * found) / (found + survived + uncovered)).toFixed(1)
  return `| ${[name, ...counts, `${score} %`].join(" | ")} |`
}

const printTable = () => {
  const folders = existsSync(kept) ? readdirSync(kept).flatMap((name) => /^(.+)\.json$/u.exec(name)?.[1] ?? []) : []
  const counts = folders.map(countsOf)
  const sum = columns.map((_, index) => counts.reduce((total, one) => total + one[index], 0))
  console.log("| folder | found | too slow | survived | untested | not tried | score |")
  console.log("| --- | --: | --: | --: | --: | --: | --: |")
  for (const [index, folder] of folders.entries()) console.log(row(folder, counts[index]))
  console.log(row("all", sum))
}

const mutate = (folder) =>
  run("stryker", ["run", "--mutate", `src/${folder}/**/*.ts`, "--incrementalFile", join(kept, `${folder}.json`)], {
    cwd: core,
    env: {
      NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "compiled"),
      ...environment(),
      MUTATE_TESTS: [folder, ...(alsoTestedBy[folder] ?? [])].join(",")
    }
  })

const args = process.argv.slice(2)
const unknown = args.filter((name) => name !== "--table" && !existsSync(join(core, "src", name)))

if (args.length === 0 || unknown.length > 0) {
  console.error(
    `${unknown.map((name) => `packages/core/src/${name} is not there.\n`).join("")}Usage: npm run mutate -- <folder of packages/core/src> … | --table`
  )
  process.exitCode = 64
} else if (args.includes("--table")) {
  printTable()
} else {
  for (const folder of args) process.exitCode = (await mutate(folder)) || process.exitCode
}
