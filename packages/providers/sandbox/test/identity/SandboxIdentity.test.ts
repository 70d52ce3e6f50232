import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as SandboxIdentity from "../../src/identity/SandboxIdentity.ts"
import * as SandboxStore from "../../src/store/SandboxStore.ts"
import { call } from "../support/worlds.ts"

const order = { customerId: "5d3c1a52-0000-4000-8000-000000000001", isBusiness: false, country: "PT" }

const opened = Effect.fnUntraced(function* ({ provider }: SandboxIdentity.SandboxIdentity) {
  const answer = yield* provider.open(order)
  return answer._tag === "Done" ? answer.value : yield* Effect.die(answer._tag)
})

describe("SandboxIdentity", () => {
  it.effect("people wait for the controls, unless time approves them", () =>
    Effect.gen(function* () {
      const waiting = yield* SandboxIdentity.make({ store: SandboxStore.memory() })
      const approving = yield* SandboxIdentity.make({ store: SandboxStore.memory(), approveAfterMs: 2_000 })
      const [one, two] = [yield* opened(waiting), yield* opened(approving)]
      yield* TestClock.adjust("1999 millis")
      assert.strictEqual((yield* approving.provider.state(two.applicantId)).status, "PENDING")
      yield* TestClock.adjust("1 millis")
      const approved = yield* approving.provider.state(two.applicantId)
      assert.strictEqual(approved.status, "APPROVED")
      assert.strictEqual(approved.environment, "sandbox")
      assert.strictEqual((yield* waiting.provider.state(one.applicantId)).status, "PENDING")
    })
  )

  it.effect("a result of the controls stands, whatever time would have said", () =>
    Effect.gen(function* () {
      const sandbox = yield* SandboxIdentity.make({ store: SandboxStore.memory(), approveAfterMs: 2_000 })
      const { applicantId } = yield* opened(sandbox)
      yield* call(sandbox.routes, "POST", `/identity/${order.customerId}/result`, { status: "RED" })
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* sandbox.provider.state(applicantId)).status, "REJECTED")
    })
  )

  it.effect("two results in the same moment are dated one after the other", () =>
    Effect.gen(function* () {
      const sandbox = yield* SandboxIdentity.make({ store: SandboxStore.memory() })
      const { applicantId } = yield* opened(sandbox)
      const dates: Array<number> = []
      for (const status of ["GREEN", "RED", "EXPIRED"]) {
        yield* call(sandbox.routes, "POST", `/identity/${applicantId}/result`, { status })
        dates.push((yield* sandbox.provider.state(applicantId)).decidedAt)
      }
      assert.deepStrictEqual(dates, [1, 2, 3])
    })
  )

  it.effect("what was decided is known after a restart", () =>
    Effect.gen(function* () {
      const store = SandboxStore.memory()
      const before = yield* SandboxIdentity.make({ store })
      const { applicantId } = yield* opened(before)
      yield* call(before.routes, "POST", `/identity/${applicantId}/result`, { status: "GREEN" })
      const after = yield* SandboxIdentity.make({ store })
      assert.strictEqual((yield* after.provider.state(applicantId)).status, "APPROVED")
      const again = yield* opened(after)
      assert.deepInclude(again, { applicantId, newlyCreated: false, url: null })
    })
  )

  it.effect("a result for nobody, or one that is none, is told to whoever gave it", () =>
    Effect.gen(function* () {
      const { routes } = yield* SandboxIdentity.make({ store: SandboxStore.memory() })
      const nobody = yield* Effect.flip(call(routes, "POST", "/identity/nobody/result", { status: "GREEN" }))
      const nonsense = yield* Effect.flip(call(routes, "POST", "/identity/nobody/result", { status: "BLUE" }))
      assert.deepStrictEqual([nobody.code, nonsense.code], ["not_found", "invalid_request"])
    })
  )
})
