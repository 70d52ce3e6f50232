import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseSync, Visitor } from "oxc-parser"

const root = fileURLToPath(new URL("../..", import.meta.url))

const sources = execFileSync("git", ["ls-files", "--", "packages/*.ts"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((file) => file.includes("/src/"))

/** The metrics that code makes, each with its kind. */
const made = (): ReadonlySet<string> => {
  const metrics = new Set<string>()
  for (const file of sources) {
    const text = readFileSync(`${root}/${file}`, "utf8")
    if (!text.includes("Metric.")) continue
    new Visitor({
      CallExpression: ({ arguments: [name], callee }) => {
        if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return
        if (callee.object.type !== "Identifier" || callee.object.name !== "Metric") return
        if (name?.type === "Literal" && typeof name.value === "string")
          metrics.add(`${name.value}: ${callee.property.name}`)
      }
    }).visit(parseSync(file, text).program)
  }
  return metrics
}

describe("the page of metrics", () => {
  it("has every metric that code makes, by its names on both ways, with its kind, in order, and no other", () => {
    const page = readFileSync(`${root}/docs/reference/metrics.md`, "utf8")
    const rows = [...page.matchAll(/^\| `bursar_([a-z_]+)(?:\{[a-z,]+\})?` +\| `([a-z_]+)` +\| ([a-z]+) +\|/gmu)].map(
      ([, shown = "", sent = "", kind = ""]) => {
        assert.strictEqual(shown, sent)
        return `${shown}: ${kind}`
      }
    )
    assert.deepStrictEqual(rows, [...made()].toSorted())
  })

  it("is what all other pages go by: each name with its prefix, as it is shown", () => {
    const known = [...made()].map((metric) => metric.split(":")[0] ?? "")
    const pages = execFileSync("git", ["ls-files", "--", "docs/*.md"], { cwd: root, encoding: "utf8" })
    const bare = pages
      .split("\n")
      .filter((file) => file !== "" && file !== "docs/reference/metrics.md")
      .flatMap((file) => {
        const text = readFileSync(`${root}/${file}`, "utf8")
        // `sweeps` is an English word, and a setting
        return known
          .filter((name) => name.includes("_") && text.includes(`\`${name}\``))
          .map((name) => `${file}: ${name}`)
      })
    assert.deepStrictEqual(bare, [])
  })
})
