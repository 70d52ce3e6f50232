const quote = 0x22
const backslash = 0x5c
const colon = 0x3a

/** Where the text of JSON that begins at a quote ends. */
const endOfText = (json: string, from: number): number => {
  let at = from + 1
  while (at < json.length && json.charCodeAt(at) !== quote) at += json.charCodeAt(at) === backslash ? 2 : 1
  return at
}

/** How many fields a JSON text names: outside of texts, a colon stands behind each name and nowhere else. */
const namesIn = (json: string): number => {
  let count = 0
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === quote) at = endOfText(json, at)
    else if (code === colon) count += 1
  }
  return count
}

/** How many fields the objects of a value have. A list of its own instead of recursion: values can be nested thousands deep. */
const fieldsOf = (value: unknown): number => {
  let count = 0
  const left: Array<unknown> = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next !== "object" || next === null) continue
    const inner: ReadonlyArray<unknown> = Object.values(next)
    if (!Array.isArray(next)) count += inner.length
    for (const one of inner) left.push(one)
  }
  return count
}

/**
 * Whether an object of a JSON text names a field twice. `JSON.parse` keeps the last, and other readers the first: who signs, screens or logs such a
 * text may see another than the one that is carried out. `value` is what was parsed of it.
 */
export const repeatsName = (json: string, value: unknown): boolean => namesIn(json) !== fieldsOf(value)
