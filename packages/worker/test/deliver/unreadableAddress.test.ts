import * as ShownAddresses from "@bursar/core/granting/ShownAddresses"
import { Writer } from "@bursar/core/engine/Writer"
import { emitting } from "@bursar/testkit/fixtures/commands"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { deliverWebhooks } from "../../src/deliver/deliverWebhooks.ts"
import { begin, ticks } from "../watch/world.ts"
import { delivering, emit, endpointOf, options, scripted, status } from "./world.ts"

it.effect("events are sent after one whose address cannot be looked at", () => {
  const way = scripted(() => status(204))
  return Effect.gen(function* () {
    yield* begin
    const { id } = yield* newTenant()
    yield* endpointOf(id)
    const writer = yield* Writer
    yield* writer.submit(id, emitting({ address: "odd", network: "ethereum" }, "deposit.detected"))
    yield* emit(id, 3)
    const real = yield* ShownAddresses.ShownAddresses
    // as `verifyNamed` does where the row of the address names its requests in another form: `7` is not iterable
    const dying = ShownAddresses.ShownAddresses.of({
      ...real,
      verifyNamed: (tenantId, named) =>
        named.some(({ address }) => address === "odd")
          ? Effect.die(new TypeError("shown.registrations is not iterable"))
          : real.verifyNamed(tenantId, named)
    })
    yield* Effect.forkScoped(Effect.provideService(deliverWebhooks(options), ShownAddresses.ShownAddresses, dying))
    yield* ticks(2_000)
    assert.deepStrictEqual(
      way.sent.map(({ eventId }) => eventId),
      [2, 3, 4]
    )
  }).pipe(Effect.provide(Layer.mergeAll(delivering(), way.layer)))
})
