import { assert, it } from "@effect/vitest"
import { listMax, mayBeCut } from "../src/ui/listMax.ts"

it("a list that came as long as it was asked for may go on, and a shorter one is whole", () => {
  assert.strictEqual(listMax, 200)
  assert.isTrue(mayBeCut(200))
  assert.isFalse(mayBeCut(199))
  assert.isTrue(mayBeCut(100, 100))
  assert.isFalse(mayBeCut(0, 100))
})
