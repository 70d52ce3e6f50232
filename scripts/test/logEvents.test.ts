import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseSync, Visitor } from "oxc-parser"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** What runs for nobody but developers is not in the manual. */
const forDevelopers = /^packages\/(?:simulators|dev|testkit|providers\/sandbox)\//u

const sources = execFileSync("git", ["ls-files", "--", "packages/*.ts"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((file) => file.includes("/src/") && !forDevelopers.test(file))

/** The events that code logs, each with its levels. */
const logged = (): ReadonlyMap<string, ReadonlySet<string>> => {
  const events = new Map<string, Set<string>>()
  for (const file of sources) {
    const { program } = parseSync(file, readFileSync(`${root}/${file}`, "utf8"))
    new Visitor({
      CallExpression: ({ arguments: [name], callee }) => {
        if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return
        const level = /^log(Trace|Debug|Info|Warning|Error|Fatal)$/u.exec(callee.property.name)?.[1]
        if (level === undefined || name === undefined) return
        const names = name.type === "ConditionalExpression" ? [name.consequent, name.alternate] : [name]
        for (const one of names) {
          if (one.type !== "Literal" || typeof one.value !== "string") continue
          events.set(one.value, (events.get(one.value) ?? new Set()).add(level))
        }
      }
    }).visit(program)
  }
  return events
}

describe("the page of log events", () => {
  it("has every event that code logs, with its levels, in order, and no other", () => {
    const page = readFileSync(`${root}/docs/reference/logs.md`, "utf8")
    const rows = [...page.matchAll(/^\| `([^`]+)` +\| ([A-Za-z, ]+?) +\|/gmu)].map(
      ([, event = "", levels = ""]) => `${event}: ${levels.split(", ").toSorted().join(", ")}`
    )
    const events = [...logged()].map(([event, levels]) => `${event}: ${[...levels].toSorted().join(", ")}`)
    assert.deepStrictEqual(rows, events.toSorted())
  })
})
