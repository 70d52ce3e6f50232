import { assert, describe, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** The rows of the page: an attack, what happens, and the file and title of a test. */
const rows = readFileSync(`${root}/docs/concepts/threat-model.md`, "utf8")
  .split("\n")
  .filter((line) => /^\| (?!attack |accident |-)/u.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()))

/** What is wrong with the test that a row names; undefined if it is there. */
const mistakeIn = ([, attack = "", , test = ""]: ReadonlyArray<string>): string | undefined => {
  const [, file = "", title = ""] = /^`([^`]+)`: (.+)$/u.exec(test) ?? []
  if (title === "") return `"${attack}" names no test`
  if (!existsSync(`${root}/${file}`)) return `"${attack}" names ${file}, which is not there`
  return readFileSync(`${root}/${file}`, "utf8").includes(JSON.stringify(title))
    ? undefined
    : `"${attack}" names a test that ${file} does not have: ${title}`
}

describe("the threat model", () => {
  it("names for each attack a test that is there", () => {
    assert.isAbove(rows.length, 20)
    assert.deepStrictEqual(
      rows.map(mistakeIn).filter((mistake) => mistake !== undefined),
      []
    )
  })

  it("has every attack that is tried on a running service", () => {
    const folder = `${root}/packages/cli/test/attacks`
    const named = new Set(rows.map((row) => row[3]))
    const tried = readdirSync(folder).flatMap((file) =>
      Array.from(
        readFileSync(`${folder}/${file}`, "utf8").matchAll(/^ {2}title: "(.+)",$/gmu),
        ([, title]) => `\`packages/cli/test/attacks/${file}\`: ${title}`
      )
    )
    assert.isAbove(tried.length, 20)
    assert.deepStrictEqual(
      tried.filter((test) => !named.has(test)),
      []
    )
  })
})
