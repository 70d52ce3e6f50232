/** The parts of a number of history: the ledger, the transaction in it from 1, the operation in that from 1. */
export const partsOf = (
  id: string
): { readonly ledger: number; readonly transaction: number; readonly operation: number } => {
  const bits = BigInt(id)
  return {
    ledger: Number(bits >> 32n),
    transaction: Number((bits >> 12n) & 0xf_ffffn),
    operation: Number(bits & 0xfffn)
  }
}
