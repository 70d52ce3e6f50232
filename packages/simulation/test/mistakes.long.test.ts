import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { findMistake } from "../src/run/findMistake.ts"
import { finds } from "../src/plant/finds.ts"
import type { Mistake } from "../src/plant/mistakes.ts"
import { manualPage, withMistakes } from "../src/run/manual.ts"
import { readFileSync } from "node:fs"
import { join } from "node:path"

/** Any change of the service moves what happens in a world. Where it moved a mistake out of sight, one of the next worlds shows it. */
const worlds = 8

describe("the manual", () => {
  it("lists each mistake with its world: npm run simulate -- --write-manual", () => {
    const text = readFileSync(join(import.meta.dirname, "../../..", manualPage), "utf8")
    assert.strictEqual(withMistakes(text), text)
  })
})

describe("the judges", () => {
  const found = Object.entries(finds) as ReadonlyArray<[Mistake, (typeof finds)[keyof typeof finds]]> // its keys are mistakes
  for (const [mistake, [seed, judge]] of found) {
    it.live(
      `find a mistake, and nothing without it: ${mistake} (world ${seed})`,
      () =>
        Effect.gen(function* () {
          const finding = yield* findMistake(mistake, { from: seed, worlds, judge })
          assert.isDefined(finding, `the judge of ${judge} finds nothing in ${worlds} worlds`)
        }),
      60_000
    )
  }
})
