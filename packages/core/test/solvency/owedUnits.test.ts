import { assert, describe, it } from "@effect/vitest"
import { owedUnits, type OwedParts } from "../../src/solvency/OwedToTenant.ts"

const parts = (given: Partial<OwedParts>): OwedParts => ({
  available: 0n,
  held: 0n,
  customers: 0n,
  converting: 0n,
  ownAddresses: 0n,
  ...given
})

describe("what a tenant is owed", () => {
  it("is what is available and held, its customers' balances, and what it gave for open conversions", () => {
    assert.strictEqual(owedUnits(parts({ available: 1n, held: 20n, customers: 300n, converting: 4_000n })), 4_321n)
  })

  it("is not lessened by a debt, which would hide what others are owed", () => {
    assert.strictEqual(owedUnits(parts({ available: -100n, held: 20n, customers: 300n })), 320n)
    assert.strictEqual(owedUnits(parts({ available: -100n })), 0n)
    assert.strictEqual(owedUnits(parts({ converting: -50n, available: 7n })), 7n)
  })

  it("is without what stands on addresses of the tenant's own keys, and never below zero", () => {
    assert.strictEqual(owedUnits(parts({ available: 100n, ownAddresses: 60n })), 40n)
    assert.strictEqual(owedUnits(parts({ available: 100n, ownAddresses: 160n })), 0n)
    assert.strictEqual(owedUnits(parts({ available: 100n, ownAddresses: -160n })), 100n)
  })
})
