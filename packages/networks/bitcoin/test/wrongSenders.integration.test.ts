import { failuresOf } from "@bursar/testkit/suites/failuresOf"
import { paymentTests } from "@bursar/testkit/suites/sender/paymentTests"
import { SenderWorld } from "@bursar/testkit/suites/sender/SenderWorld"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { devnetLayer } from "./support/Bitcoind.ts"
import { senderWorldOn } from "./support/SenderWorld.ts"

/** A sender that pays but the first of several payments. */
const sparing = Layer.effect(
  SenderWorld,
  Effect.map(SenderWorld, (right) =>
    SenderWorld.of({
      ...right,
      sender: {
        ...right.sender,
        build: (order) =>
          Effect.map(right.sender.build({ ...order, payments: order.payments.slice(0, 1) }), (unsigned) => ({
            ...unsigned,
            payments: order.payments
          }))
      }
    })
  )
).pipe(Layer.provide(senderWorldOn(devnetLayer)))

it.live("the suite of senders sees that one pays but the first of several payments", () =>
  Effect.gen(function* () {
    const found = yield* failuresOf(sparing, (tests) => paymentTests(tests, 60_000, ["batch"]))
    assert.deepStrictEqual(found, ["pays everybody in one transaction of several payments"])
  })
)
