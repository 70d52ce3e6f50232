import { withContradictionsClosed } from "@bursar/core/operation/contradictions"
import type { Operation } from "@bursar/core/operation/Operation"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { past, tenantRecord } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { logContradiction } from "../../src/queue/logContradiction.ts"

const operation = (details: Operation["details"]): Operation =>
  bareOperation(
    { tenant: tenantRecord(past), now: past, newId: () => "op" },
    { kind: "WITHDRAWAL", status: "FAILED", details, settledAt: past }
  )

const plain = operation({})
const another = operation({ contradiction: { said: "it says SETTLED, under the id q", at: 1, reference: "q" } })
const contradicted = operation({ contradiction: { said: "it says that the order is settled", at: 2, reference: "r" } })

describe("what a provider says of an operation that is over", () => {
  it.effect("is told when it contradicts the books, and when that is taken back, each once", () => {
    const logged: Array<string> = []
    const log = Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))])
    const told = (before: Operation, after: Operation | undefined) =>
      Effect.map(logContradiction(before, after), () => logged.splice(0).join())
    return Effect.gen(function* () {
      assert.strictEqual(yield* told(plain, plain), "")
      assert.strictEqual(yield* told(contradicted, contradicted), "")
      assert.strictEqual(yield* told(contradicted, undefined), "")
      assert.include(yield* told(plain, contradicted), "operation.contradicted")
      assert.include(yield* told(another, contradicted), "operation.contradicted")
      const both = operation({ contradiction: { said: "settled", at: 3, others: [{ said: "denied", at: 1 }] } })
      const first = operation({ contradiction: { said: "denied", at: 1 } })
      assert.include(yield* told(first, both), '"said":"settled"')
      assert.notInclude(yield* told(first, both), "denied")
      assert.include(yield* told(both, first), "operation.contradiction_withdrawn")
      const closed = withContradictionsClosed(contradicted, { at: 9, by: "anna", reason: "Dealt with." })
      assert.strictEqual(yield* told(contradicted, closed), "")
      const withdrawn = yield* told(contradicted, plain)
      assert.include(withdrawn, "operation.contradiction_withdrawn")
      assert.include(withdrawn, "it says that the order is settled")
    }).pipe(Effect.provide(log))
  })
})
