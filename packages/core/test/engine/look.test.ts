import { schedule, unschedule } from "@bursar/core/engine/Job"
import { jobAfter } from "@bursar/core/engine/JobEntry"
import { beginLook, endLook } from "@bursar/core/engine/look"
import type { View } from "@bursar/core/engine/View"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { writing } from "@bursar/testkit/fixtures/commands"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const job = { tenantId: TenantId("t"), queue: "q", key: "a", dueAt: 5 }

// these commands look at nothing
const view = {} as View

const decided = <A>(command: { readonly decide: (of: View) => Result.Result<A, unknown> }): A =>
  Result.getOrThrow(command.decide(view))

describe("a look at a job", () => {
  it("knows until when its beginning put the job off", () => {
    const begin = writing(() => [schedule("q", "b", 20), schedule("q", "a", 30), schedule("other", "a", 40)])
    assert.deepStrictEqual(decided(beginLook(job, begin)).reply.look, { job, putOffTo: 30 })
    assert.deepStrictEqual(
      decided(
        beginLook(
          job,
          writing(() => [])
        )
      ).reply.look,
      { job, putOffTo: 5 }
    )
  })

  it("moves its own job on at its end, on that condition, and no other", () => {
    const end = writing(() => [schedule("q", "a", 90), schedule("q", "b", 90), unschedule("q", "a")])
    assert.deepStrictEqual(decided(endLook({ job, putOffTo: 30 }, end)).changes, [
      { ...schedule("q", "a", 90), putOffTo: 30 },
      schedule("q", "b", 90),
      unschedule("q", "a")
    ])
  })

  const at = (dueAt: number | null, putOffTo?: number) => ({
    queue: "q",
    key: "a",
    dueAt,
    ...(putOffTo !== undefined && { putOffTo })
  })

  it.each([
    { what: "what nobody touched", before: undefined, later: at(90, 30), after: at(90, 30) },
    { what: "what was put off by another command", before: at(40), later: at(90, 30), after: at(90) },
    { what: "what another command made due", before: at(7), later: at(90, 30), after: at(7) },
    { what: "what another command took off", before: at(null), later: at(90, 30), after: at(90) },
    { what: "what another look moved on", before: at(80, 20), later: at(90, 30), after: at(90, 20) },
    { what: "what is to come sooner than it was made due", before: at(20), later: at(10, 30), after: at(10) }
  ])("in one batch: $what", ({ after, before, later }) => {
    assert.deepStrictEqual(jobAfter(before, later), after)
  })

  it("gives way to a command of its batch that says when, or takes the job off", () => {
    assert.deepStrictEqual(jobAfter(at(90, 30), at(7)), at(7))
    assert.deepStrictEqual(jobAfter(at(90, 30), at(null)), at(null))
  })
})
