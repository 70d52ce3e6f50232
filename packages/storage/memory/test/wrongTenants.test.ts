import { Tenants } from "@bursar/core/port/Tenants"
import { emptyState, layerOver } from "@bursar/memory"
import { failuresOf } from "@bursar/testkit/suites/failuresOf"
import { tenantsTests } from "@bursar/testkit/suites/tenantsSuite"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

it.live("a directory that finds slugs in any case is refused", () =>
  Effect.gen(function* () {
    const state = emptyState()
    const wrong = Layer.effect(
      Tenants,
      Effect.map(Tenants, (right) => Tenants.of({ ...right, bySlug: (slug) => right.bySlug(slug.toLowerCase()) }))
    ).pipe(Layer.provideMerge(layerOver(state)))
    assert.deepStrictEqual(yield* failuresOf(wrong, (tests) => tenantsTests(tests, { second: layerOver(state) })), [
      "a tenant is found by id and slug as it was made"
    ])
  })
)
