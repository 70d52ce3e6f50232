import type { Payment } from "@bursar/core/port/ChainSender"
import { failuresOf } from "@bursar/testkit/suites/failuresOf"
import { paymentTests } from "@bursar/testkit/suites/sender/paymentTests"
import { SenderWorld } from "@bursar/testkit/suites/sender/SenderWorld"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SendingDevnet, senderWorld } from "./support/SenderWorldLayer.ts"

/** A sender that never writes a memo and looks at none, though it says that it does. */
const forgetful = Layer.effect(
  SenderWorld,
  Effect.map(SenderWorld, (right) => {
    let ordered: ReadonlyArray<Payment> = []
    return SenderWorld.of({
      ...right,
      sender: {
        ...right.sender,
        build: (order) => {
          ordered = order.payments
          const payments = ordered.map((payment) => ({ ...payment, memo: null }))
          return Effect.map(right.sender.build({ ...order, payments }), (unsigned) => ({
            ...unsigned,
            payments: order.payments
          }))
        },
        prove: (claimed) => right.sender.prove({ ...claimed, memo: null })
      },
      format: {
        ...right.format,
        read: (bytes) => Result.map(right.format.read(bytes), (content) => ({ ...content, payments: ordered }))
      }
    })
  })
).pipe(Layer.provide(Layer.provide(senderWorld, SendingDevnet.layer)))

it.live("the suite of senders sees that one drops memos, whatever its format reads", () =>
  Effect.gen(function* () {
    const found = yield* failuresOf(forgetful, (tests) => paymentTests(tests, 60_000, ["token", "memo"]))
    assert.deepStrictEqual(found, ["writes the memo that was ordered, by its type, and proves a payment by it"])
  })
)
