/** Bytes as lower-case hexadecimal. */
export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/** The bytes of a text that is known to be hexadecimal. */
export const fromHex = (text: string): Uint8Array =>
  Uint8Array.from(text.match(/../gu) ?? [], (two) => Number.parseInt(two, 16))
