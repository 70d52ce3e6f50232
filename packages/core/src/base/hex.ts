/** The bytes that a text of hexadecimal digits, two each, stands for. */
export const fromHex = (digits: string): Uint8Array =>
  Uint8Array.from(digits.match(/../gu) ?? [], (two) => Number.parseInt(two, 16))
