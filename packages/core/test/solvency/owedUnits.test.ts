import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
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

  it("is never below zero, covers each party that is owed, and grows with what any of them is owed", () => {
    const units = fc.bigInt({ min: -1_000n, max: 1_000n })
    const some = fc.record({ available: units, held: units, customers: units, converting: units, ownAddresses: units })
    const owing = fc.constantFrom("available" as const, "held" as const, "customers" as const, "converting" as const)
    fc.assert(
      fc.property(some, owing, fc.bigInt({ min: 0n, max: 1_000n }), (one, name, more) => {
        const owed = owedUnits(one)
        assert.isTrue(owed >= 0n)
        // what the tenant has in its own hands it is not owed; everything else is there for whoever is owed it
        assert.isTrue(owed >= one[name] - (one.ownAddresses > 0n ? one.ownAddresses : 0n))
        assert.isTrue(owedUnits({ ...one, [name]: one[name] + more }) >= owed)
        assert.isTrue(owedUnits({ ...one, ownAddresses: one.ownAddresses + more }) <= owed)
      })
    )
  })
})
