import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { checkAll, type Progress } from "../src/screens/networks/checkAll.ts"

const report = (firstWrong: string | null) => ({
  invariants: [{ tenant_id: null, invariant: "sums", rule: "Entries sum up to nothing", first_wrong: firstWrong }]
})

const told = (
  unreadable: ReadonlyArray<{ readonly id: string; readonly problem: string }>,
  check: (id: string) => Effect.Effect<ReturnType<typeof report>, "503">
) =>
  Effect.gen(function* () {
    const all: Array<Progress> = []
    const tenants = Effect.succeed({ tenants: [{ id: "one" }, { id: "two" }], unreadable })
    const isWhole = yield* Effect.match(
      checkAll({ tenants, check }, (progress) => all.push(progress)),
      { onSuccess: () => true, onFailure: () => false }
    )
    return { isWhole, last: all.at(-1) }
  })

it.effect("a tenant whose row cannot be read is among what is wrong", () =>
  Effect.gen(function* () {
    const unreadable = [{ id: "three", problem: "no such column" }]
    assert.deepStrictEqual(yield* told(unreadable, () => Effect.succeed(report(null))), {
      isWhole: true,
      last: { done: 2, of: 2, rules: 2, wrong: ["The row of tenant three cannot be read: no such column."] }
    })
  })
)

it.effect("what was found of one tenant is told though the next could not be asked", () =>
  Effect.gen(function* () {
    const check = (id: string) => (id === "two" ? Effect.fail("503" as const) : Effect.succeed(report("5 are missing")))
    assert.deepStrictEqual(yield* told([], check), {
      isWhole: false,
      last: { done: 1, of: 2, rules: 1, wrong: ["Entries sum up to nothing: 5 are missing"] }
    })
  })
)
