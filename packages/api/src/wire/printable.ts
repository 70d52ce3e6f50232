/**
 * A text of somebody else on one line, without what a terminal or a page would obey, such as signs that turn the order of letters: it can hide
 * or reorder nothing that is shown beside it.
 */
export const printable = (text: string): string => text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "\u{FFFD}")
