import { of } from "@bursar/core/money/Amount"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { codeOf } from "./support/grants.ts"
import { Operator } from "./support/Operator.ts"

it.live(
  "a page of operations goes on where its moments are told anew, as those that are older than some hours are",
  () =>
    Effect.gen(function* () {
      const { operate, seeder } = yield* Operator
      const id = yield* seeder.tenant()
      const made = yield* Effect.forEach([1n, 2n, 3n], (units) =>
        Effect.map(
          seeder.submit(id, adjustFloat({ amount: of(units, "EUR"), against: "bank", reason: "test" })),
          (operation) => operation.id
        )
      )
      const soon = Date.now() + 60_000
      for (const [order, expected] of [
        ["newest", made.toReversed()],
        ["oldest", made]
      ] as const) {
        const page = (laterMs: number, more = "") => {
          const before = new Date(soon + laterMs).toISOString()
          return operate("GET", `/operator/v1/operations?limit=2&order=${order}&created_before=${before}${more}`)
        }
        const first = yield* page(0)
        const second = yield* page(1, `&cursor=${first.body.next_cursor}`)
        assert.strictEqual(second.status, 200, second.text)
        const found = [...first.body.operations, ...second.body.operations].map(
          (one: { readonly id: string }) => one.id
        )
        assert.deepStrictEqual(found, expected)
        // what is another list has other places
        assert.deepStrictEqual(codeOf(yield* page(1, `&cursor=${first.body.next_cursor}&currency=EUR`)), [
          422,
          "invalid_cursor"
        ])
      }
    }).pipe(Effect.provide(Operator.layer))
)
