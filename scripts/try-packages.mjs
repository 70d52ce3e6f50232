/**
 * Uses the packages as those who install them do: packs every public one, installs the tarballs into a folder outside
 * the workspace, imports each under plain Node, and compiles and tests the examples against them. The packages must
 * have been built. Nothing is downloaded that the workspace's own install has already brought, but for the oldest versions of
 * Node that are promised.
 */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "./install.mjs"
import { packAll, pnpm } from "./pack.mjs"
import { run } from "./run.mjs"
import { tryAlone } from "./try-alone.mjs"

/** It declares tests, so it can be imported under vitest alone; the examples do. */
const underVitestAlone = "@bursar/testkit"

/** The answers that a verifier of solvency proofs must agree with: part of the manual, and read by an example's test. */
const vectors = join("docs", "reference", "solvency-vectors.json")

const json = (value) => `${JSON.stringify(value, null, 2)}\n`

const isSource = (path) => !/[\\/](?:node_modules|dist)(?:[\\/]|$)/.test(path.slice(root.length))

/** The workspace's settings, with the tarballs among what overrides a dependency. */
const withOverrides = (settings, overrides) => {
  const lines = overrides.map(([name, spec]) => `  "${name}": ${spec}\n`).join("")
  const heading = "\noverrides:\n"
  return settings.includes(heading) ? settings.replace(heading, `${heading}${lines}`) : `${settings}${heading}${lines}`
}

/** A workspace of the examples, in which every package of ours is a tarball. */
const lay = async (folder, packages) => {
  const tarballs = packages.map(({ name, tarball }) => [name, `file:${tarball}`])
  const settings = await readFile(join(root, "pnpm-workspace.yaml"), "utf8")
  const tools = ["effect", "typescript", "vite", "vitest", "@types/node"].map((name) => [name, "catalog:"])
  const imported = packages.filter(({ name }) => name !== underVitestAlone).flatMap(({ entryPoints }) => entryPoints)
  await mkdir(join(folder, "readmes"), { recursive: true })
  await Promise.all([
    ...packages.map(async ({ name, path }) => {
      const readme = await readFile(join(path, "README.md"), "utf8")
      const [, example] = /^```ts\n([^]+?)^```$/mu.exec(readme) ?? []
      await writeFile(join(folder, "readmes", `${name.slice("@bursar/".length)}.ts`), example)
    }),
    cp(join(root, "examples"), join(folder, "examples"), { recursive: true, filter: isSource }),
    // what an example is compared with, where it lies in the repository
    cp(join(root, vectors), join(folder, vectors)),
    cp(join(root, "tsconfig.base.json"), join(folder, "tsconfig.base.json")),
    writeFile(
      join(folder, "package.json"),
      json({ private: true, type: "module", dependencies: Object.fromEntries([...tarballs, ...tools]) })
    ),
    writeFile(join(folder, "pnpm-workspace.yaml"), withOverrides(`${settings}\nignoreScripts: true\n`, tarballs)),
    writeFile(
      join(folder, "tsconfig.json"),
      json({
        extends: "./tsconfig.base.json",
        compilerOptions: {
          noEmit: true,
          // what the packages declare is part of what is tried
          skipLibCheck: false,
          composite: false,
          incremental: false,
          declaration: false,
          declarationMap: false,
          sourceMap: false,
          rewriteRelativeImportExtensions: false
        },
        include: ["examples/*/src", "examples/*/test", "readmes", "everything.ts"]
      })
    ),
    writeFile(join(folder, "everything.ts"), imported.map((name) => `import "${name}"\n`).join(""))
  ])
}

const steps = [
  ["Import every package", "node", ["everything.ts"]],
  ["Run the command", "bursar", ["--version"]],
  ["Compile the examples, and those of the READMEs", "tsc", ["-p", ".", "--checkers", "1"]],
  ["Test the examples", "vitest", ["run"]]
]

const place = await mkdtemp(join(tmpdir(), "bursar-try-"))
try {
  const tarballs = join(place, "tarballs")
  const packages = await packAll(tarballs)
  const folder = join(place, "consumer")
  await lay(folder, packages)
  console.log(`Installing ${packages.length} packages outside the workspace`)
  await pnpm(["install", "--prefer-offline"], folder)
  const env = { ...process.env, PATH: `${join(folder, "node_modules", ".bin")}:${process.env.PATH}` }
  for (const [name, command, args] of steps) {
    console.log(`\n── ${name}`)
    const code = await run(command, args, { cwd: folder, env })
    if (code !== 0) {
      process.exitCode = 1
      break
    }
  }
  console.log("\n── Install the client alone and the service alone, and run them on the oldest Node promised")
  await tryAlone(packages, place)
} catch (error) {
  console.error(error.stdout ?? error, error.stderr ?? "")
  process.exitCode = 1
} finally {
  await rm(place, { recursive: true, force: true })
}
