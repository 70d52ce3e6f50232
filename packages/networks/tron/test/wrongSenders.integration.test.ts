import type { ChainSender } from "@bursar/core/port/ChainSender"
import { failuresOf } from "@bursar/testkit/suites/failuresOf"
import { paymentTests } from "@bursar/testkit/suites/sender/paymentTests"
import { SenderWorld } from "@bursar/testkit/suites/sender/SenderWorld"
import { statusTests } from "@bursar/testkit/suites/sender/statusTests"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SendingDevnet, senderWorld } from "./support/SenderWorldLayer.ts"

/** Senders that misplace payouts, and the tests that say so. */
const wrongs: Readonly<
  Record<string, readonly [wrong: (sender: ChainSender) => ChainSender, failures: ReadonlyArray<string>]>
> = {
  "is right": [(sender) => sender, []],
  "calls a transaction final at the second look": [
    (sender) => {
      const seen = new Set<string>()
      return {
        ...sender,
        status: (order, attempts) =>
          Effect.gen(function* () {
            const status = yield* sender.status(order, attempts)
            if (status._tag !== "Included") return status
            const { blockNumber, hash } = status
            const isFirst = !seen.has(hash)
            seen.add(hash)
            if (isFirst) return status
            const blockTime = yield* Clock.currentTimeMillis
            return { _tag: "Final", hash, blockNumber, blockTime, fee: 1n, effect: "done" } as const
          })
      }
    },
    ["follows a payment of coin from waiting to final", "follows a payment of token from waiting to final"]
  ],
  "sends amounts through a double": [
    (sender) => ({
      ...sender,
      build: (order) =>
        Effect.map(
          sender.build({
            ...order,
            payments: order.payments.map((one) => ({ ...one, units: BigInt(Number(one.units)) }))
          }),
          (unsigned) => ({ ...unsigned, payments: order.payments })
        )
    }),
    ["pays a large amount of coin, to the last unit", "pays a large amount of token, to the last unit"]
  ]
}

const has = ["token", "reorg"] as const

describe("the suite of senders", () => {
  for (const [what, [wrong, expected]] of Object.entries(wrongs)) {
    it.live(`sees that a sender ${what}`, () =>
      Effect.gen(function* () {
        const world = Layer.effect(
          SenderWorld,
          Effect.map(SenderWorld, (right) => SenderWorld.of({ ...right, sender: wrong(right.sender) }))
        ).pipe(Layer.provide(Layer.provide(senderWorld, SendingDevnet.layer)))
        const found = yield* failuresOf(world, (tests) => {
          statusTests(tests, 60_000, has)
          paymentTests(tests, 60_000, has)
        })
        assert.deepStrictEqual(found, expected)
      })
    )
  }
})
