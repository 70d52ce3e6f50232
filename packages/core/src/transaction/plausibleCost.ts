import type { TransactionAttempt } from "./TransactionAttempt.ts"

/**
 * How many times the most that was signed for a node is believed that a transaction cost. What a rollup charges for posting is in no bytes, and may be
 * many times the gas when Ethereum is busy.
 */
const costTimesMax = 100n

/**
 * Whether a transaction can have cost what a node tells, by the most that was signed for. Where nobody knows what that was, `limit` is the most that the
 * signer signs for on the network; anything can be so without one.
 */
export const isPlausibleCost = (
  attempt: Pick<TransactionAttempt, "feeMax"> | undefined,
  fee: bigint,
  limit: bigint | null = null
): boolean => {
  const feeMax = attempt?.feeMax ?? 0n
  const max = feeMax > 0n ? feeMax * costTimesMax : limit
  return fee >= 0n && (max === null || fee <= max)
}
