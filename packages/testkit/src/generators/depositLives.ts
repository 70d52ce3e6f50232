import fc from "fast-check"

/**
 * Something that a watcher, or a tenant, does. Transactions and blocks are few, so that they meet: a block is named by
 * its hash, and what is confirmed or lost may by then stand in another one. Null stands for the mempool.
 */
export type DepositStep =
  | { readonly _tag: "Arrive"; readonly transactions: ReadonlyArray<number>; readonly block: number | null }
  | { readonly _tag: "Confirm"; readonly transactions: ReadonlyArray<number>; readonly block: number }
  | { readonly _tag: "Reorg"; readonly transactions: ReadonlyArray<number>; readonly block: number | null }
  | { readonly _tag: "OutboundTransaction"; readonly units: bigint }

/** How many transactions there are in a life. */
export const transactionsMax = 4

const transactions = fc.array(fc.nat({ max: transactionsMax - 1 }), { minLength: 1, maxLength: 4 })

const block = fc.nat({ max: 3 })

const blockOrNone = fc.option(block, { freq: 3 })

const step: fc.Arbitrary<DepositStep> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ _tag: fc.constant("Arrive" as const), transactions, block: blockOrNone }) },
  { weight: 4, arbitrary: fc.record({ _tag: fc.constant("Confirm" as const), transactions, block }) },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("Reorg" as const), transactions, block: blockOrNone }) },
  {
    weight: 1,
    arbitrary: fc.record({ _tag: fc.constant("OutboundTransaction" as const), units: fc.bigInt({ min: 1n, max: 60n }) })
  }
)

/** What happens to a few deposits of a tenant, in batches. */
export const depositLives: fc.Arbitrary<ReadonlyArray<ReadonlyArray<DepositStep>>> = fc.array(
  fc.array(step, { minLength: 1, maxLength: 4 }),
  { minLength: 1, maxLength: 15 }
)
