/**
 * Where something stands in history: the ledger in the upper 32 bits, the transaction from 1 in the next 20, the operation
 * from 1 in the last 12. Horizon's ids and cursors are such numbers.
 */
export const toid = (ledger: number, transaction = 0, operation = 0): bigint =>
  (BigInt(ledger) << 32n) | (BigInt(transaction) << 12n) | BigInt(operation)

/** The parts of such a number. */
export const partsOf = (
  id: bigint
): { readonly ledger: number; readonly transaction: number; readonly operation: number } => ({
  ledger: Number(id >> 32n),
  transaction: Number((id >> 12n) & 0xfffffn),
  operation: Number(id & 0xfffn)
})
