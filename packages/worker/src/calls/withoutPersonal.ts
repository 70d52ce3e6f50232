/** Letters that have no accent to be taken off, as others write them. */
const plainOf: Readonly<Record<string, string>> = { ß: "ss", ø: "o", æ: "ae", œ: "oe", ł: "l", đ: "d" }

/** One character as it is compared: without its case and its accents. */
const folded = (character: string): string => {
  if (character <= "\u007f") return character.toLowerCase()
  const plain = character.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()
  return Array.from(plain, (one) => plainOf[one] ?? one).join("")
}

/** A text as it is compared, and where in the text each of its characters begins and ends. */
const foldedText = (text: string) => {
  let plain = ""
  const places: Array<readonly [start: number, end: number]> = []
  let at = 0
  for (const character of text) {
    const end = at + character.length
    for (const unit of folded(character)) {
      plain += unit
      for (let count = 0; count < unit.length; count++) places.push([at, end])
    }
    at = end
  }
  return { plain, places }
}

const literally = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`)

/** What is shorter than this is looked for as a word alone: it may be a part of others. */
const wordMax = 5

const letter = String.raw`[\p{L}\p{N}]`

/** How a name or a number is found, however it is spaced; undefined for what is too short to tell anybody. */
const patternOf = (personal: string): RegExp | undefined => {
  const plain = Array.from(personal, folded).join("").trim()
  const isNumber = (plain.match(/\d/gu)?.length ?? 0) >= 4
  const said = isNumber
    ? Array.from(plain.replaceAll(/[^\p{L}\p{N}]/gu, ""), literally).join(String.raw`[\s.\-/]*`)
    : plain
        .split(/\s+/u)
        .map(literally)
        .join(String.raw`[\s,.\-_]+`)
  if (plain.length < 2 || said === "") return undefined
  return new RegExp(plain.length < wordMax ? `(?<!${letter})${said}(?!${letter})` : said, "gu")
}

/** Takes out of texts what names people or their accounts, however it is written: in any case, spaced otherwise, with accents or without. */
export const withoutPersonal = (personal: ReadonlyArray<string>): ((text: string) => string) => {
  const patterns = personal.flatMap((one) => patternOf(one) ?? [])
  if (patterns.length === 0) return (text) => text
  return (text) => {
    const { places, plain } = foldedText(text)
    const taken = patterns.flatMap((pattern) =>
      Array.from(plain.matchAll(pattern), ({ 0: found, index }) => ({
        from: places[index]?.[0] ?? 0,
        to: places[index + found.length - 1]?.[1] ?? text.length
      }))
    )
    let rest = ""
    let done = 0
    for (const { from, to } of taken.toSorted((one, other) => one.from - other.from || other.to - one.to)) {
      if (from >= done) rest += `${text.slice(done, from)}…`
      done = Math.max(done, to)
    }
    return rest + text.slice(done)
  }
}
