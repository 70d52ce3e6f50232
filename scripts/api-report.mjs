/**
 * Writes down what each public package offers, in `api-report.md` beside its manifest: what can be imported, and what
 * every module declares. With `--check` nothing is written, and a report that is not what it would be is an error, so
 * that whoever reviews a change sees what it means for those who use the packages. The packages must have been built.
 */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { declarationsOf, importPath } from "./declarations.mjs"
import { root } from "./install.mjs"
import { publicLibraries } from "./pack.mjs"

const checks = process.argv.includes("--check")

const code = (language, text) => `\`\`\`${language}\n${text}\n\`\`\`\n`

const workspace = await readFile(join(root, "pnpm-workspace.yaml"), "utf8")

/** Manifests name versions by the catalog; what is published has the versions themselves. */
const versionOf = ([name, spec]) => {
  const line = workspace.split("\n").find((text) => text.startsWith(`  ${name}: `) || text.startsWith(`  "${name}": `))
  return [name, spec === "catalog:" && line !== undefined ? line.slice(line.lastIndexOf(": ") + 2) : spec]
}

/** What of a manifest those who install the package can break on. */
const surface = ({ bin, engines, peerDependencies = {}, publishConfig }) =>
  JSON.stringify(
    {
      engines,
      peerDependencies: Object.fromEntries(Object.entries(peerDependencies).map(versionOf)),
      exports: publishConfig?.exports,
      bin: publishConfig?.bin ?? bin
    },
    null,
    2
  )

const reportOf = async ({ manifest, path }) => {
  const modules = await declarationsOf(path)
  const sections = modules.map(({ declarations, name }) => {
    const title = importPath(manifest, name) ?? `${name} (by way of the entry points)`
    return `## ${title}\n\n${code("ts", declarations.map(({ text }) => text).join("\n"))}`
  })
  return [
    `# What ${manifest.name} offers\n`,
    "Written by `npm run api-report`; CI compares it with the code. Do not edit it.\n",
    code("json", surface(manifest)),
    ...sections
  ].join("\n")
}

/** Shows how a report differs, where git is at hand; never more than a person reads. */
const show = async (file, report) => {
  const folder = await mkdtemp(join(tmpdir(), "bursar-report-"))
  try {
    const fresh = join(folder, "as-built.md")
    await writeFile(fresh, report)
    const { stdout } = spawnSync("git", ["diff", "--no-index", "--unified=2", file, fresh], { encoding: "utf8" })
    console.log((stdout ?? "").split("\n").slice(0, 60).join("\n"))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

let stale = 0
for (const one of await publicLibraries()) {
  const file = join(one.path, "api-report.md")
  const report = await reportOf(one)
  if (!checks) {
    await writeFile(file, report)
    continue
  }
  const committed = existsSync(file) ? await readFile(file, "utf8") : ""
  if (committed === report) continue
  stale += 1
  console.log(`✗ ${relative(root, file)}`)
  if (committed !== "") await show(file, report)
}

if (stale > 0) {
  console.log(
    "\nWhat the packages offer has changed. If that is meant, run `npm run api-report` and commit the reports."
  )
  process.exitCode = 1
}
