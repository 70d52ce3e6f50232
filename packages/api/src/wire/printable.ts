/** What a terminal or a page would obey, what leaves no mark, and what looks like a space and is none. */
const unseen = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}\u{13441}\u{13442}]/gu

/** Spaces that nobody can count: after another one, and at the ends. */
const uncounted = /(?<=^| ) | $/gu

/** What begins a number as it stands for a sign here. */
const numbers = /\\(?=u\{)/gu

const byNumber = (sign: string): string => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`

/**
 * A text of somebody else on one line. What a terminal or a page would obey, such as signs that turn the order of letters, and what nobody sees stands in it by
 * its number, such as `\u{202e}`: it can hide or reorder nothing that is shown beside it, and two texts that look alike are alike. So do spaces after a space: they
 * could fill a line up, so that what follows stands on one of its own. And so does the backslash of a text that writes such a number itself.
 */
export const printable = (text: string): string =>
  text.replaceAll(numbers, byNumber).replaceAll(uncounted, byNumber).replaceAll(unseen, byNumber)

/** A text of somebody else line by line: its lines and its spaces stay, and nothing else in it is obeyed or unseen. */
export const printableLines = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.replaceAll(numbers, byNumber).replaceAll(unseen, byNumber))
    .join("\n")
