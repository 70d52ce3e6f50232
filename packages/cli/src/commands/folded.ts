import { printable } from "@bursar/api/wire/printable"

/** So many columns of a terminal a line of somebody else's text takes at most, behind what it belongs to. */
const foldedColumnsMax = 60

/** How many columns a text can take: only a sign of ASCII surely takes one. */
const columnsOf = (text: string): number => {
  let columns = 0
  for (const sign of text) columns += sign <= "\u007e" ? 1 : 2
  return columns
}

/**
 * A text of somebody else behind a label of ours. One that is too long for a line goes on behind a bar: no filler in it makes a terminal begin a line that looks
 * like ours.
 */
export const folded = (label: string, text: string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const sign of printable(text)) {
    if (columnsOf(line + sign) > foldedColumnsMax) {
      // after a word, unless it is the whole line
      const word = line.lastIndexOf(" ") + 1
      const end = word > foldedColumnsMax / 2 ? word : line.length
      lines.push(line.slice(0, end))
      line = line.slice(end)
    }
    line += sign
  }
  return [...lines, line].map((one, at) => `${at === 0 ? label : `${" ".repeat(label.length)}| `}${one}`)
}
