const percent = (character: string): string =>
  [...new TextEncoder().encode(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("")

/** A half of a pair of UTF-16 that stands alone is no character. */
const whole = (text: string): string => text.toWellFormed()

/**
 * A foreign text as one word of a plain-text journal: letters and digits of any script, spaces and `._/#@+-` stay, every other
 * character is percent-encoded, also the percent sign. So it opens no comment, ends no line and closes no quotation, and
 * `decodeURIComponent` gives it back.
 */
export const plainText = (text: string): string => whole(text).replaceAll(/[^\p{L}\p{M}\p{N} ._/#@+-]/gu, percent)

/** A foreign text on one line: what controls, separates lines or cannot be seen is percent-encoded, and the percent sign. */
export const oneLine = (text: string): string =>
  whole(text).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}%]/gu, percent)
