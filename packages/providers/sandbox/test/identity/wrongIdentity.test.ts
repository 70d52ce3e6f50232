import type { CheckState, IdentityProvider } from "@bursar/core/port/IdentityProvider"
import { failuresOf } from "@bursar/testkit/suites/failuresOf"
import { identityTests } from "@bursar/testkit/suites/identity/identityTests"
import { IdentityWorld } from "@bursar/testkit/suites/identity/IdentityWorld"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { identityWorld } from "../support/worlds.ts"

type Adapter = IdentityProvider["Service"]

const all = ["fiat_accounts", "payouts", "swaps"]

const telling =
  (change: (state: CheckState) => CheckState) =>
  (provider: Adapter): Adapter => ({
    ...provider,
    state: (applicantId) => Effect.map(provider.state(applicantId), change)
  })

let reads = 0

/** Adapters by which somebody may do what they may not, each by one test. */
const wrongs: Readonly<
  Record<string, readonly [wrong: (provider: Adapter) => Adapter, failures: ReadonlyArray<string>]>
> = {
  "is right": [(provider) => provider, []],
  "checks every business as a person": [
    (provider) => ({ ...provider, open: (order) => provider.open({ ...order, isBusiness: false }) }),
    ["a business is checked as one, and a person as a person"]
  ],
  "allows everything while it is reviewed": [
    telling((state) => (state.status === "IN_REVIEW" ? { ...state, capabilities: all } : state)),
    ["what waits for the person and what waits for the provider are told apart, and allow nothing"]
  ],
  "allows everything after a rejection that may be tried again": [
    telling((state) => (state.status === "ACTION_REQUIRED" ? { ...state, capabilities: all } : state)),
    ["what waits for the person and what waits for the provider are told apart, and allow nothing"]
  ],
  "takes a sandbox for production": [
    telling((state) => ({ ...state, environment: "production" })),
    ["a state is of the environment that the provider is of, and of no real one where that is a sandbox"]
  ],
  "never tells that an approval ends": [
    telling((state) => (state.status === "EXPIRED" ? { ...state, status: "APPROVED", capabilities: all } : state)),
    ["an approval that has ended allows nothing"]
  ],
  "dates every state by when it is read": [
    telling((state) => ({ ...state, decidedAt: state.decidedAt + 60_000 * ++reads })),
    ["approval comes with what it allows, is dated after what was seen before, and needs no link any more"]
  ]
}

describe("the suite of identity providers", () => {
  it.live.each(Object.entries(wrongs))("sees that an adapter %s", ([, [wrong, failures]]) =>
    Effect.map(
      failuresOf(
        Layer.effect(
          IdentityWorld,
          Effect.map(IdentityWorld, (world) => IdentityWorld.of({ ...world, provider: wrong(world.provider) }))
        ).pipe(Layer.provide(identityWorld)),
        (tests) => identityTests(tests, ["ends"], 60_000)
      ),
      (found) => assert.deepStrictEqual(found, failures)
    )
  )
})
