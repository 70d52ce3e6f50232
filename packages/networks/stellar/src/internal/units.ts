const decimals = 7

/** Base units of an amount of Horizon, whose form has been checked. Exact: the text is never taken for a number. */
export const unitsOf = (amount: string): bigint => {
  const [whole = "0", fraction = ""] = amount.split(".")
  return BigInt(whole + fraction.padEnd(decimals, "0"))
}
