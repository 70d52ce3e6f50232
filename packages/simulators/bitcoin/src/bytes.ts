/** Hexadecimal of bytes. */
export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** Bytes of hexadecimal. */
export const fromHex = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, "hex"))

/** A hash as it is shown: its bytes in reverse. */
export const shown = (hash: Uint8Array): string => Buffer.from(hash.toReversed()).toString("hex")

/** A hash as it stands in transactions and headers. */
export const unshown = (hash: string): Uint8Array => fromHex(hash).toReversed()

/** Whether two byte strings are the same. */
export const sameBytes = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0

const coin = 100_000_000n

/** Whole coins and eight decimals, as Bitcoin Core writes amounts in JSON. */
export const amountText = (units: bigint): string => {
  const plain = units < 0n ? -units : units
  return `${units < 0n ? "-" : ""}${plain / coin}.${(plain % coin).toString().padStart(8, "0")}`
}

/** Whole coins and at least two decimals, as Bitcoin Core writes amounts in messages. */
export const moneyText = (units: bigint): string => amountText(units).replace(/0{1,6}$/u, "")

/**
 * A number that `JSON.stringify` writes as it stands, so that an amount never goes through a JavaScript number. The types of
 * ES2024 do not have it; every Node that runs this does.
 */
export const rawNumber = (text: string): unknown =>
  (JSON as unknown as { readonly rawJSON: (text: string) => unknown }).rawJSON(text)

/** An amount in JSON. */
export const amount = (units: bigint): unknown => rawNumber(amountText(units))
