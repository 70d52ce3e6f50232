import { Deliveries, type EndpointWork } from "@bursar/core/port/Deliveries"
import { emptyState, layerOver, type State } from "@bursar/memory"
import { attemptTests } from "@bursar/testkit/suites/deliveries/attemptTests"
import { leaseTests } from "@bursar/testkit/suites/deliveries/leaseTests"
import { failuresOf } from "@bursar/testkit/suites/failuresOf"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

const telling = (state: State, change: (work: EndpointWork) => EndpointWork) =>
  Layer.effect(
    Deliveries,
    Effect.map(Deliveries, (right) =>
      Deliveries.of({ ...right, lease: (...args) => Effect.map(right.lease(...args), (works) => works.map(change)) })
    )
  ).pipe(Layer.provideMerge(layerOver(state)))

it.live("deliveries that read what is due by the number of the event alone, of whichever tenant, are refused", () =>
  Effect.gen(function* () {
    const state = emptyState()
    const anyOf = (number: number) =>
      [...state.tenants.values()].flatMap(({ events }) => events.slice(number - 1, number)).at(0)
    const wrong = telling(state, (work) => ({
      ...work,
      due: work.due.map((one) => ({ ...one, event: anyOf(one.event.id) ?? one.event }))
    }))
    const found = yield* failuresOf(wrong, (tests) => {
      leaseTests(tests, 60_000, layerOver(state))
      attemptTests(tests, 60_000)
    })
    assert.deepStrictEqual(found, [
      "what is due again is the tenant's own event, whole, though another has one of that number"
    ])
  })
)
