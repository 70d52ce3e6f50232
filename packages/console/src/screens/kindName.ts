/** The kind of an operation as people write it: `Chain payout` of `CHAIN_PAYOUT`. */
export const kindName = (kind: string): string => {
  const words = kind.toLowerCase().replaceAll("_", " ")
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}
