import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** Which runs where its users are, on the Node that they have. */
const library = new Set(["@bursar/api", "@bursar/client", "@bursar/core"])

const manifests = globSync(["packages/*/package.json", "packages/*/*/package.json"], { cwd: root })
  .filter((file) => !file.includes("node_modules"))
  .map((file) => ({ folder: dirname(file), manifest: JSON.parse(readFileSync(join(root, file), "utf8")) }))

describe.each(manifests)("$manifest.name", ({ folder, manifest }) => {
  it("promises a Node: 20 for what partners and hosts import, 22 for the rest", () => {
    assert.deepStrictEqual(manifest.engines, { node: library.has(manifest.name) ? ">=20" : ">=22" })
  })

  it("says what it is: a description, keywords, and a README with an example and a link", () => {
    assert.isNotEmpty(manifest.description)
    assert.isAtLeast(manifest.keywords.length, 3)
    const readme = readFileSync(join(root, folder, "README.md"), "utf8")
    assert.isTrue(readme.startsWith(`# ${manifest.name}\n`))
    assert.match(readme, /^```ts\n[^]+?^```$/mu)
    assert.match(readme, /\]\((?:\.\.\/)+README\.md\)/u)
  })
})

it("there are packages to look at", () => {
  assert.isAtLeast(manifests.length, 20)
})
