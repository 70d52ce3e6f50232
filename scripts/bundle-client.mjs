/**
 * Makes of the built client what its users install: one module per entry point with Effect in it, and the declarations of
 * all that they name, Effect's among them. So who uses promises installs no version of Effect, and their own is never in its
 * way. The entry point `effect` stays as it is built: those who use Effect bring it.
 */
import { cp, mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative } from "node:path"
import { rolldown } from "rolldown"
import { root } from "./install.mjs"

const client = join(root, "packages/client")
const api = join(root, "packages/api")
const effect = dirname(await realpath(createRequire(join(client, "package.json")).resolve("effect/package.json")))
const destination = join(client, "dist/bundle")

/** The entry points that are made whole. */
const entries = ["index", "webhooks", "node"]

/** Where the declarations of a package are, and where they are put. */
const homes = [
  { name: "@bursar/client", from: join(client, "dist"), to: join(destination, "types/client") },
  { name: "@bursar/api", from: join(api, "dist"), to: join(destination, "types/api") },
  { name: "effect", from: join(effect, "dist"), to: join(destination, "types/effect") }
]

/** The file that declares what a specifier names, or undefined where nobody has to be asked: Node's own. */
const declarationOf = (specifier, importer) => {
  if (specifier.startsWith("node:")) return undefined
  const home = homes.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`))
  if (home === undefined && !specifier.startsWith("."))
    throw new Error(`${importer} needs ${specifier}, which is not bundled`)
  const path =
    home === undefined ? join(dirname(importer), specifier) : join(home.from, specifier.slice(home.name.length + 1))
  const stem = path.replace(/(?:\.d)?\.[jt]s$/u, "")
  const found = [`${stem}.d.ts`, `${stem}/index.d.ts`].find((file) => existsSync(file))
  if (found === undefined) throw new Error(`${importer} needs ${specifier}, which has no declarations`)
  return found
}

/** Where the copy of a declaration stands. */
const copyOf = (file) => {
  const home = homes.find(({ from }) => file.startsWith(`${from}/`))
  return join(home.to, relative(home.from, file))
}

// a word in a text is none of ours to follow, such as the path of an endpoint
const specifiers = /((?<![\w"/.-])(?:from\s+|import\s*\(?\s*|declare module\s+))"([^"]+)"/gu

/** Copies a declaration and all that it needs, and lets them name each other's copies. */
const copyDeclarations = async (start) => {
  const done = new Set()
  const todo = [...start]
  for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
    if (done.has(file)) continue
    done.add(file)
    const text = await readFile(file, "utf8")
    const rewritten = (code) =>
      code.replaceAll(specifiers, (whole, before, specifier) => {
        const target = declarationOf(specifier, file)
        if (target === undefined) return whole
        todo.push(target)
        const path = relative(dirname(copyOf(file)), copyOf(target)).replace(/\.d\.ts$/u, ".js")
        return `${before}"${path.startsWith(".") ? path : `./${path}`}"`
      })
    // what a comment imports is an example; Effect's own comments are not what our users read
    const kept = file.startsWith(effect) ? "" : undefined
    const copied = text
      .replaceAll(/^\/\/# sourceMappingURL=.*$/gmu, "")
      .split(/(\/\*[^]*?\*\/)/u)
      .map((part) => (part.startsWith("/*") ? (kept ?? part) : rewritten(part)))
      .join("")
    await mkdir(dirname(copyOf(file)), { recursive: true })
    await writeFile(copyOf(file), copied)
  }
  return done.size
}

await rm(destination, { recursive: true, force: true })
const input = Object.fromEntries(entries.map((entry) => [entry, join(client, "dist", `${entry}.js`)]))
const bundle = await rolldown({ input, platform: "neutral", external: /^node:/u, resolve: { mainFields: ["module"] } })
await bundle.write({ dir: destination, format: "esm", chunkFileNames: "shared/[name].js" })
await bundle.close()
const count = await copyDeclarations(entries.map((entry) => join(client, "dist", `${entry}.d.ts`)))
for (const entry of entries) {
  await writeFile(join(destination, `${entry}.d.ts`), `export * from "./types/client/${entry}.js"\n`)
}
await cp(join(effect, "LICENSE"), join(destination, "LICENSE-effect"))
console.log(`Bundled ${entries.length} entry points and ${count} declarations.`)
