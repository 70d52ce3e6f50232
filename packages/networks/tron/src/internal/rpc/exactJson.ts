/** A whole number of JSON that is too long for a JavaScript number to be sure to hold it. */
const longNumber = /[:,[\s]-?[0-9]{16,}/u

const whole = /^-?[0-9]+$/u

/**
 * Parses JSON without losing a digit: whole numbers beyond 2^53 become a bigint. Throws SyntaxError. Amounts of the network are
 * 64 bits wide, and `JSON.parse` would round them without a word.
 */
export const parseExactJson = (text: string): unknown => {
  if (!longNumber.test(text)) return JSON.parse(text)
  // The third argument is in ECMAScript 2026, and in Node since 21; the library's types do not know it yet.
  const revive = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === "number" && !Number.isSafeInteger(value) && whole.test(context?.source ?? "")
      ? BigInt(context?.source ?? "")
      : value
  return JSON.parse(text, revive)
}
