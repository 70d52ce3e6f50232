import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Mistake, mistakes } from "../src/plant/mistakes.ts"
import { runWorld } from "../src/run/runWorld.ts"

const activeMs = 60_000
const patienceMs = 300_000

/** A seed in whose world each mistake shows, and the judge that finds it. */
const finds: Readonly<Record<Mistake, readonly [seed: number, judge: string]>> = {
  "fence skipped": [8, "fences"],
  "hold lost": [1, "liveness"],
  "hold of a failed withdrawal kept": [2, "money"],
  "deposit credited twice": [1, "money"],
  "deposit not taken back": [5, "money"],
  "outcome not told": [1, "events"],
  "fee one unit too low": [1, "requests"],
  "key forgotten": [1, "requests"],
  "usage forgotten": [1, "checker"],
  "limit not looked at": [7, "limits"],
  "review skipped": [2, "limits"],
  "job lost": [1, "liveness"],
  "signed bytes not stored": [1, "world"],
  "included taken for final": [4, "money"],
  "revert taken for success": [7, "money"],
  "confirmed in the first block": [3, "depth"],
  "thief paid": [1, "consent"],
  "unknown taken for refused": [6, "money"],
  "withdrawal ordered again when asked for": [2, "money"],
  "swap ordered again when asked for": [2, "money"],
  "withdrawal of one unit more": [1, "money"],
  "ether worth a dollar": [2, "limits"],
  "deposit of one unit more": [1, "money"],
  "deposit overlooked": [1, "money"],
  "deposit of a lost block kept": [10, "money"],
  "end of a payout not booked": [1, "money"],
  "end of a payout booked twice": [1, "liveness"],
  "end of a withdrawal booked twice": [1, "liveness"],
  "swap booked twice": [1, "money"],
  "outcome told twice": [1, "liveness"],
  "fee of the network not booked": [1, "money"],
  "never given to a node": [1, "liveness"],
  "lost transaction taken for impossible": [3, "liveness"],
  "replacement under the next number": [8, "money"],
  "payment of one unit more": [1, "liveness"],
  "events sent in another order": [1, "events"],
  "event not sent": [1, "liveness"]
}

const worldOf = (seed: number, mistake?: Mistake) =>
  runWorld({ seed, activeMs, patienceMs, ...(mistake !== undefined && { plant: mistakes[mistake] }) })

describe("the judges", () => {
  const found = Object.entries(finds) as ReadonlyArray<[Mistake, (typeof finds)[keyof typeof finds]]> // its keys are mistakes
  for (const [mistake, [seed, judge]] of found) {
    it.live(`find a mistake: ${mistake} (world ${seed})`, () =>
      Effect.gen(function* () {
        const { violations } = yield* worldOf(seed, mistake)
        assert.include(
          violations.map((violation) => violation.slice(0, violation.indexOf(":"))),
          judge
        )
      })
    )
  }

  for (const seed of new Set(found.map(([, [one]]) => one))) {
    it.live(`find nothing where there is no mistake (world ${seed})`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* worldOf(seed)).violations, [])
      })
    )
  }
})
