import { migrations } from "@bursar/postgres/migrations/all"
import { assert, describe, it } from "@effect/vitest"

describe("the steps of the schema", () => {
  it("are numbered in their order without a gap: a step with a number that is taken would never be run", () => {
    assert.deepStrictEqual(
      migrations.map(({ id }) => id),
      migrations.map((_, index) => index + 1)
    )
  })
})
