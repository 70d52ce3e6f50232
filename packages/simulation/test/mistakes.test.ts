import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { findMistake } from "../src/plant/findMistake.ts"
import type { Mistake } from "../src/plant/mistakes.ts"

/** A seed in whose world each mistake shows, and the judge that finds it: `npm run simulate -- --find-mistakes` says them anew. */
const finds: Readonly<Record<Mistake, readonly [seed: number, judge: string]>> = {
  "fence skipped": [19, "fences"],
  "hold lost": [1, "liveness"],
  "hold of a failed withdrawal kept": [3, "money"],
  "deposit credited twice": [2, "money"],
  "deposit not taken back": [5, "money"],
  "outcome not told": [1, "events"],
  "fee one unit too low": [5, "requests"],
  "key forgotten": [1, "requests"],
  "usage forgotten": [1, "checker"],
  "limit not looked at": [10, "limits"],
  "review skipped": [2, "limits"],
  "job lost": [2, "liveness"],
  "signed bytes not stored": [2, "world"],
  "included taken for final": [3, "money"],
  "revert taken for success": [3, "liveness"],
  "confirmed in the first block": [3, "depth"],
  "thief paid": [2, "liveness"],
  "unknown taken for refused": [3, "money"],
  "withdrawal ordered again when asked for": [3, "money"],
  "swap ordered again when asked for": [3, "money"],
  "withdrawal of one unit more": [1, "money"],
  "ether worth a dollar": [10, "limits"],
  "deposit of one unit more": [2, "money"],
  "deposit overlooked": [2, "money"],
  "deposit of a lost block kept": [5, "money"],
  "end of a payout not booked": [2, "money"],
  "end of a payout booked twice": [2, "liveness"],
  "end of a withdrawal booked twice": [1, "liveness"],
  "fee of the network not booked": [1, "money"],
  "swap booked twice": [1, "money"],
  "outcome told twice": [1, "liveness"],
  "never given to a node": [1, "liveness"],
  "lost transaction taken for impossible": [3, "liveness"],
  "replacement under the next number": [46, "liveness"],
  "payment of one unit more": [1, "liveness"],
  "events sent in another order": [1, "events"],
  "event not sent": [1, "liveness"],
  "expired quote honoured": [2, "quotes"],
  "quote used twice": [3, "quotes"],
  "quote rounded up": [1, "quotes"],
  "stale price taken": [7, "quotes"],
  "rate the wrong way round": [2, "quotes"],
  "fee of the custodian not priced in": [8, "quotes"],
  "promise of a quote not kept": [3, "money"],
  "euro worth a dollar": [12, "limits"],
  "transfer ordered again when asked for": [1, "liveness"],
  "silence of the bank taken for a refusal": [1, "money"],
  "transfer of one cent more": [1, "liveness"],
  "transfer to a thief": [4, "consent"],
  "transfer on its way taken for settled": [4, "liveness"],
  "transfer that nobody knows of taken for failed": [4, "money"],
  "announced amount credited": [18, "liveness"],
  "hold of a failed transfer kept": [17, "money"],
  "end of a transfer booked twice": [1, "liveness"],
  "return not booked": [1, "money"],
  "return booked twice": [1, "money"],
  "return booked the wrong way": [1, "money"],
  "refund not counted": [4, "checker"],
  "internal transfer booked twice": [28, "money"],
  "payment to an account booked twice": [4, "money"],
  "payment to an account overlooked": [4, "liveness"],
  "unchecked customer served": [9, "consent"]
}

/** Any change of the service moves what happens in a world. Where it moved a mistake out of sight, one of the next worlds shows it. */
const worlds = 8

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
