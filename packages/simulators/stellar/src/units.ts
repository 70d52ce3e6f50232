const decimals = 7

const shape = /^(-?)([0-9]{1,18})(?:\.([0-9]{1,7}))?$/u

/** Base units of a decimal text with at most seven decimals; undefined where it is none. */
export const unitsOf = (text: string): bigint | undefined => {
  const match = shape.exec(text)
  if (match === null) return undefined
  const units = BigInt(`${match[2] ?? ""}${(match[3] ?? "").padEnd(decimals, "0")}`)
  return match[1] === "-" ? -units : units
}

/** Base units as Horizon writes them: always seven decimals. */
export const textOf = (units: bigint): string => {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, "0")
  return `${units < 0n ? "-" : ""}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** Base units of an amount inside a decoded transaction, which is always well formed. */
export const amountIn = (text: string): bigint => {
  const units = unitsOf(text)
  if (units === undefined) throw new Error(`${text} is not an amount`)
  return units
}
