import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { declarationsOf, importPath } from "../declarations.mjs"

/** A built package: the declarations of its modules, each with a source unless `sources` leaves it out. */
const built = (modules: Record<string, string>, sources = Object.keys(modules)): string => {
  const folder = mkdtempSync(join(tmpdir(), "bursar-declarations-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const [name, text] of Object.entries(modules)) write(`dist/${name}.d.ts`, text)
  for (const name of sources) write(`src/${name}.ts`, "")
  return folder
}

test("a module is what it declares without its comments, each with the docstring right before it", async () => {
  const text = `/** The module. */
import type { B } from "./B.ts";
/**
 * One thing.
 *
 * Details.
 */
export interface A {
    /** Of the other. */
    readonly b: B;
    readonly c: string; // since ever
}
export declare const d: A;
export {};
`
  const [module] = await declarationsOf(built({ "folder/A": text }))
  expect(module?.name).toBe("folder/A")
  expect(module?.declarations.map(({ doc, names, text }) => ({ doc, names, text }))).toEqual([
    { doc: "The module.", names: [], text: 'import type { B } from "./B.ts";' },
    {
      doc: "One thing.\n\nDetails.",
      names: ["A"],
      text: "export interface A {\n    readonly b: B;\n    readonly c: string;\n}"
    },
    { doc: undefined, names: ["d"], text: "export declare const d: A;" }
  ])
})

test("what is internal is not offered, nor what an earlier build left behind", async () => {
  const one = "export declare const one: 1;\n"
  const folder = built({ kept: one, removed: one, "internal/hidden": one }, ["kept", "internal/hidden"])
  expect((await declarationsOf(folder)).map(({ name }) => name)).toEqual(["kept"])
})

test("a declaration that nobody would read is told by a digest, which changes with it", async () => {
  const long = (last: string) => `export declare const long: "${"x".repeat(20_000)}${last}";\n`
  const textOf = async (last: string) => (await declarationsOf(built({ long: long(last) })))[0]?.declarations[0]?.text
  expect(await textOf("a")).toMatch(/^export declare const long: \/\* sha256 [0-9a-f]{16} \*\/$/u)
  expect(await textOf("a")).toBe(await textOf("a"))
  expect(await textOf("a")).not.toBe(await textOf("b"))
})

test("a module is imported by its path where the manifest lets it", () => {
  const open = { name: "@bursar/core", exports: { ".": "./src/index.ts", "./*": "./src/*.ts" } }
  const closed = { name: "@bursar/client", exports: { ".": "./src/index.ts", "./node": "./src/node.ts" } }
  expect(importPath(open, "money/Amount")).toBe("@bursar/core/money/Amount")
  expect(["index", "node", "promise/Client"].map((module) => importPath(closed, module))).toEqual([
    "@bursar/client",
    "@bursar/client/node",
    undefined
  ])
})
