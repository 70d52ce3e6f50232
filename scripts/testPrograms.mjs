import { existsSync } from "node:fs"
import { readdir, rm } from "node:fs/promises"
import { basename, join } from "node:path"
import { build } from "vite"
import { root } from "./install.mjs"
import { isAlive } from "./isAlive.mjs"

/** The programs that tests start, by package. */
const programs = {
  cli: ["src/main.ts", "test/support/hurriedWorker.ts", "soak/outside/member.ts"],
  dev: ["src/main.ts", "src/signerProcess.ts"]
}

/** What finds its own files beside itself, or is too large to be worth it, stays where it is. */
const stays = new Set(["ccxt", "pdfkit", "pkcs11js", "tiny-secp256k1"])

const leaveInPlace = {
  name: "leave-in-place",
  enforce: "pre",
  async resolveId(source, importer) {
    if (!stays.has(source)) return null
    const found = await this.resolve(source, importer, { skipSelf: true })
    return found === null ? null : { id: found.id, external: "absolute" }
  }
}

/** A program of the bundle that another one starts is started from the bundle. */
const programsBeside = {
  name: "programs-beside",
  transform: (code) => {
    const moved = code.replaceAll(
      /import\.meta\.resolve\("@bursar\/dev\/(\w+)"\)/g,
      'new URL("./$1.mjs", import.meta.url).href'
    )
    return moved === code ? null : moved
  }
}

const bundle = async (name, sources, outDir) => {
  const input = Object.fromEntries(
    sources.map((source) => [basename(source, ".ts"), join(root, "packages", name, source)])
  )
  await build({
    root,
    configFile: false,
    logLevel: "error",
    plugins: [leaveInPlace, programsBeside],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: "esnext",
      outDir,
      emptyOutDir: true,
      copyPublicDir: false,
      rolldownOptions: {
        input,
        output: { entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" },
        logLevel: "silent"
      }
    }
  })
  return sources.map((source) => [join(root, "packages", name, source), join(outDir, `${basename(source, ".ts")}.mjs`)])
}

const folderOf = (name) => join(root, "packages", name, ".programs")

/** Removes what runs that were killed have left. */
const sweep = async (name) => {
  const left = existsSync(folderOf(name)) ? await readdir(folderOf(name)) : []
  const dead = left.filter((pid) => !isAlive(Number(pid)))
  await Promise.all(dead.map((pid) => rm(join(folderOf(name), pid), { recursive: true, force: true })))
}

/**
 * Vitest's global set-up: bundles the programs that tests start, hundreds of times, so that each starts in a third of the time. `TEST_PROGRAMS`
 * tells the tests where they are, by their sources. With `TEST_FROM_SOURCE` they run from their sources.
 */
export default async () => {
  // more than one project of a run asks for them
  if (process.env["TEST_FROM_SOURCE"] || process.env["TEST_PROGRAMS"]) return
  await Promise.all(Object.keys(programs).map(sweep))
  const outOf = (name) => join(folderOf(name), String(process.pid))
  const made = await Promise.all(Object.entries(programs).map(([name, sources]) => bundle(name, sources, outOf(name))))
  process.env["TEST_PROGRAMS"] = JSON.stringify(Object.fromEntries(made.flat()))
  return () => Promise.all(Object.keys(programs).map((name) => rm(outOf(name), { recursive: true, force: true })))
}
