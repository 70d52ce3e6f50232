import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { faultSchema } from "../src/Fault.ts"
import { controlFaults, makeFaultQueue } from "../src/FaultQueue.ts"

const Fault = faultSchema(Schema.Int)
const make = () => makeFaultQueue<typeof Fault.Type>(new Set(["send"]))

describe("the faults of a local node", () => {
  it.effect(
    "happen in the order in which they were asked for, as often as they say, and to the requests they name",
    () =>
      Effect.gen(function* () {
        const queue = make()
        yield* queue.inject({ kind: "drop", times: 2, method: "read" })
        yield* queue.inject({ kind: "delay", times: 1, method: ["read", "send"] })
        assert.strictEqual(queue.take(["send"])?.kind, "delay")
        assert.strictEqual(queue.take(["send"]), undefined)
        assert.strictEqual(queue.take(["other", "read"])?.kind, "drop")
        assert.deepStrictEqual(yield* queue.pending, [{ kind: "drop", times: 1, method: "read" }])
        assert.strictEqual(queue.take(["read"])?.kind, "drop")
        assert.strictEqual(queue.take(["read"]), undefined)
        assert.deepStrictEqual(yield* queue.pending, [])
      })
  )

  it.effect("are of the kinds that are asked for; the others stay", () =>
    Effect.gen(function* () {
      const queue = make()
      yield* queue.inject({ kind: "lag", times: 1 })
      assert.strictEqual(queue.take(["read"], ["drop", "delay"]), undefined)
      assert.isTrue(queue.waits(["lag"]))
      assert.isFalse(queue.waits(["drop"]))
      assert.strictEqual(queue.take(["read"], ["lag"])?.kind, "lag")
    })
  )

  it.effect("duplicate what hands in transactions alone", () =>
    Effect.gen(function* () {
      const queue = make()
      yield* queue.inject({ kind: "duplicate", times: 1 })
      assert.strictEqual(queue.take(["read"]), undefined)
      assert.strictEqual(queue.take(["send"])?.kind, "duplicate")
    })
  )

  it.effect("are told through the control, which says what is wrong with a fault and forgets all of them", () =>
    Effect.gen(function* () {
      const queue = make()
      const control = controlFaults(Fault, queue)
      const fault = { kind: "refuse", times: 3, error_code: -1 } as const
      assert.deepStrictEqual(yield* control(fault), { faults: [fault] })
      const error = yield* Effect.flip(control({ kind: "explode", times: 1 }))
      assert.strictEqual(error.code, "invalid_request")
      assert.deepStrictEqual(yield* control({ kind: "none" }), { faults: [] })
    })
  )
})
