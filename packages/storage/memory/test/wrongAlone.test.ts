import { emptyState, layerOver } from "@bursar/memory"
import { auditSealsTests } from "@bursar/testkit/suites/auditSealsSuite"
import { attemptTests } from "@bursar/testkit/suites/deliveries/attemptTests"
import { leaseTests } from "@bursar/testkit/suites/deliveries/leaseTests"
import { failuresOf } from "@bursar/testkit/suites/failuresOf"
import { heldArrivalsTests } from "@bursar/testkit/suites/heldArrivalsSuite"
import { keyStoreTests } from "@bursar/testkit/suites/keyStoreSuite"
import { knownCurrenciesTests } from "@bursar/testkit/suites/knownCurrenciesSuite"
import { knownNetworksTests } from "@bursar/testkit/suites/knownNetworksSuite"
import { leadershipTests } from "@bursar/testkit/suites/leadershipSuite"
import { operatorSessionsTests } from "@bursar/testkit/suites/operatorSessionsSuite"
import { rateLimitsTests } from "@bursar/testkit/suites/rateLimitsSuite"
import { tenantsTests } from "@bursar/testkit/suites/tenantsSuite"
import type { SuiteIt } from "@bursar/testkit/suites/harness"
import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"

type Ports = Layer.Success<ReturnType<typeof layerOver>>

/** The tests of a suite, and those that an adapter fails which keeps what it knows within its process. */
const suites: Readonly<
  Record<
    string,
    readonly [tests: (it: SuiteIt<Ports>, second: ReturnType<typeof layerOver>) => void, refused: ReadonlyArray<string>]
  >
> = {
  AuditSeals: [
    (tests, second) => auditSealsTests(tests, { second }),
    ["gives seals back by number, in pages, and the newest one; the first that has a number keeps it"]
  ],
  Deliveries: [
    (tests, second) => {
      leaseTests(tests, 60_000, second)
      attemptTests(tests, 60_000)
    },
    ["of many workers that lease at once in two processes, one gets an endpoint"]
  ],
  HeldArrivals: [
    (tests, second) => heldArrivalsTests(tests, { second }),
    ["of words that two processes bring at once each is taken after the other"]
  ],
  KeyStore: [
    (tests, second) => keyStoreTests(tests, { second }),
    [
      "a tenant has one seed and one wrapping key: the first that is put, whichever process races for it",
      "pages lead through every key once, and another sealing takes the place of the one that was read, no other"
    ]
  ],
  KnownCurrencies: [
    (tests, second) => knownCurrenciesTests(tests, { second }),
    ["of many that bind one code at once from two processes, one alone decides"]
  ],
  KnownNetworks: [
    (tests, second) => knownNetworksTests(tests, { second }),
    ["of many that bind one name, or one chain, at once from two processes one alone has it"]
  ],
  Leadership: [
    (tests, second) => leadershipTests(tests, { second, lapsesAfterMs: null }),
    [
      "one of several candidates leads; when it stops another takes over with a higher epoch",
      "a term goes on for as long as its work does, and nobody else leads meanwhile"
    ]
  ],
  OperatorSessions: [
    (tests, second) => operatorSessionsTests(tests, { second }),
    ["gives a link once, to one of many who take it at once from two processes, and nothing of another kind"]
  ],
  RateLimits: [
    (tests, second) => rateLimitsTests(tests, { second }),
    ["many who ask at once, of two processes, get no more than the limit"]
  ],
  Tenants: [
    (tests, second) => tenantsTests(tests, { second }),
    ["a slug is given once, to racers too, and nothing is written for those who lose"]
  ]
}

it.live.each(Object.entries(suites))("a store of %s that is of one process alone is refused", ([, [tests, refused]]) =>
  Effect.gen(function* () {
    const state = emptyState()
    assert.deepStrictEqual(yield* failuresOf(layerOver(state), (it) => tests(it, layerOver(state))), [])
    const found = yield* failuresOf(layerOver(emptyState()), (it) => tests(it, layerOver(emptyState())))
    assert.deepStrictEqual(found, refused)
  })
)
