import type { TenantWaiting } from "@bursar/api/operator/OperatorWaiting"
import { waitingMax } from "@bursar/api/operator/OperatorWaiting"
import { assert, it } from "@effect/vitest"
import { summedUp } from "../src/screens/home/summedUp.ts"

const tenant = (slug: string, suspense: number): TenantWaiting => ({
  tenant_id: slug,
  slug,
  grants: 0,
  adjustments: 0,
  resolutions: 0,
  endpoints_off: 0,
  endpoints_failing: 0,
  suspense
})

it("what waits of all tenants is one number, and those with the most are named first", () => {
  const found = summedUp([tenant("a", 1), tenant("b", 0), tenant("c", 5)], ({ suspense }) => suspense)
  assert.strictEqual(found.count, 6)
  assert.isFalse(found.isCut)
  assert.deepStrictEqual(
    found.tenants.map(({ slug }) => slug),
    ["c", "a"]
  )
})

it("says that it can be more where the service counted no further", () => {
  const found = summedUp([tenant("a", waitingMax), tenant("b", 1)], ({ suspense }) => suspense)
  assert.deepStrictEqual([found.count, found.isCut], [waitingMax + 1, true])
})
