import { type ArrivalInBlock, HeldArrivals } from "@bursar/core/port/HeldArrivals"
import { emptyState, layerOver, type State } from "@bursar/memory"
import { failuresOf } from "@bursar/testkit/suites/failuresOf"
import { heldArrivalsTests } from "@bursar/testkit/suites/heldArrivalsSuite"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

type Change = (right: HeldArrivals["Service"], state: State) => Partial<HeldArrivals["Service"]>

const first = <A extends ArrivalInBlock>(which: A): A => ({ ...which, transferIndex: 2 ** 33 })

const wrongs: Readonly<Record<string, readonly [test: string, change: Change]>> = {
  "have one entry for all arrivals of a transaction": [
    "what is said of one arrival is said of no other, however little they differ in",
    (right) => ({
      hold: (fence, arrival) => right.hold(fence, first(arrival)),
      end: (fence, which, ...how) => right.end(fence, first(which), ...how),
      decide: (which, decision) => right.decide(first(which), decision)
    })
  ],
  "decide on what was there before the lock": [
    "of words that two processes bring at once each is taken after the other",
    (right, { heldArrivals }) => ({
      decide: Effect.fnUntraced(function* (which, decision) {
        const before = [...heldArrivals]
        yield* Effect.yieldNow
        for (const [key, entry] of before) heldArrivals.set(key, entry)
        return yield* right.decide(which, decision)
      })
    })
  ]
}

it.live.each(Object.entries(wrongs))("held arrivals that %s are refused", ([, [test, change]]) =>
  Effect.gen(function* () {
    const state = emptyState()
    const wrong = Layer.effect(
      HeldArrivals,
      Effect.map(HeldArrivals, (right) => HeldArrivals.of({ ...right, ...change(right, state) }))
    ).pipe(Layer.provideMerge(layerOver(state)))
    assert.deepStrictEqual(yield* failuresOf(wrong, (tests) => heldArrivalsTests(tests, { second: wrong })), [test])
  })
)
