import { assert, it } from "@effect/vitest"
import { foundMax } from "@bursar/api/operator/SearchGroup"
import { isFoundCut } from "../src/screens/isFoundCut.ts"

it("a search that gives as many operations or addresses as it can may have found more", () => {
  const operation = { operation_id: "o", address_id: null }
  const address = { operation_id: null, address_id: "a" }
  const many = (one: typeof operation | typeof address, count: number) => Array.from({ length: count }, () => one)
  assert.isTrue(isFoundCut(many(operation, foundMax)))
  assert.isTrue(isFoundCut([operation, ...many(address, foundMax)]))
  assert.isFalse(isFoundCut([...many(operation, foundMax - 1), ...many(address, foundMax - 1)]))
})
