/**
 * Runs every static check, one after the other, and says which failed. `--list` prints their names, which
 * are those of the scripts of package.json.
 */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { root } from "./install.mjs"

const checks = [
  "typecheck",
  "lint",
  "format:check",
  "deps",
  "unused",
  "workspace",
  "packages",
  "packages:try",
  "api-report:check",
  ...(existsSync(join(root, "docs/.vitepress/config.ts")) ? ["docs:build"] : [])
]

if (process.argv.includes("--list")) {
  console.log(checks.join("\n"))
  process.exit()
}

const failed = checks.filter((name) => {
  console.log(`\n── ${name}`)
  return spawnSync("npm", ["run", "--silent", name], { cwd: root, stdio: "inherit" }).status !== 0
})

console.log(failed.length === 0 ? `\nAll ${checks.length} checks are clean.` : `\nNot clean: ${failed.join(", ")}.`)
process.exitCode = failed.length === 0 ? 0 : 1
