import fc from "fast-check"

/** Base units from one to far beyond what 64 bits hold. */
export const units: fc.Arbitrary<bigint> = fc.oneof(
  fc.bigInt({ min: 1n, max: 1_000n }),
  fc.bigInt({ min: 1n, max: 2n ** 64n }),
  fc.bigInt({ min: 1n, max: 2n ** 200n })
)

/** How many decimals a currency has. */
export const decimals: fc.Arbitrary<number> = fc.integer({ min: 0, max: 18 })
