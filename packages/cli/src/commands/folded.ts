import { printable } from "@bursar/api/wire/printable"

/** So many columns a line takes at most, without the bar: with that and an indent it fits a terminal of 80. */
const foldedColumnsMax = 73

/** How many columns a text can take: only a sign of ASCII surely takes one. */
const columnsOf = (text: string): number => {
  let columns = 0
  for (const sign of text) columns += sign <= "\u007e" ? 1 : 2
  return columns
}

/**
 * A text of somebody else behind a label of ours. One that is too long for a line goes on behind a bar: no filler in it makes a terminal begin a line that looks
 * like ours. A word, such as an address, is broken only where no line holds it.
 */
export const folded = (label: string, text: string): ReadonlyArray<string> => {
  const columnsMax = foldedColumnsMax - label.length
  const lines: Array<string> = []
  let line = ""
  const add = (part: string) => {
    if (columnsOf(line) + columnsOf(part) > columnsMax) {
      lines.push(line)
      line = ""
    }
    line += part
  }
  for (const word of printable(text).split(/(?<= )/u)) {
    if (columnsOf(word) <= columnsMax) add(word)
    else for (const sign of word) add(sign)
  }
  return [...lines, line].map((one, at) => `${at === 0 ? label : `${" ".repeat(label.length)}| `}${one}`)
}
