/** First words of our names that names of other programs have too: of these, a name that is like none of ours is theirs. */
const shared: ReadonlySet<string> = new Set([
  "AWS",
  "BASE",
  // people run these nodes themselves, and tell them as much in the same file
  "BITCOIN",
  "DATABASE",
  "KEY",
  "METRICS",
  "OTEL",
  "PKCS11",
  "PUBLIC",
  "SERVICE",
  "STELLAR",
  "TRON",
  "VAULT"
])

/** How many letters have to be added, taken out or replaced to make one name of another. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (const [index, its] of [...other].entries())
      next.push(
        Math.min((next[index] ?? 0) + 1, (row[index + 1] ?? 0) + 1, (row[index] ?? 0) + (letter === its ? 0 : 1))
      )
    row = next
  }
  return row.at(-1) ?? 0
}

/** As many letters may be wrong in a name that is meant for another: none in a short one, for words such as HOST and PORT are like many others. */
const nearMax = ({ length }: string): number => (length < 9 ? 0 : 2)

const nearest = (name: string, missing: ReadonlyArray<string>): string | undefined =>
  missing
    .map((other) => ({ other, far: distance(name.toUpperCase(), other) }))
    .filter(({ far, other }) => far <= nearMax(other))
    .toSorted((one, two) => one.far - two.far)[0]?.other

/** `SIGNER_` of `SIGNER_STORE`; undefined where others may have it too, or there is none. */
const prefixOf = (name: string): string | undefined => {
  const [word = "", ...more] = name.split("_")
  return more.length === 0 || shared.has(word) ? undefined : `${word}_`
}

/**
 * The names of a file that were meant for settings and are none, in words: such a setting would not be set, and nobody would be told.
 * They are nearly the name of one that is missing, or begin as ours do. All others are of other programs: the file is often the environment of the whole
 * service.
 */
export const unknownNames = (names: ReadonlyArray<string>, known: ReadonlySet<string>): ReadonlyArray<string> => {
  const prefixes = new Set([...known].map(prefixOf))
  // who has the right name did not mistype it
  const missing = [...known].filter((name) => !names.includes(name))
  return names.flatMap((name) => {
    if (known.has(name)) return []
    const [meant, prefix] = [nearest(name, missing), prefixOf(name)]
    if (meant !== undefined) return [`${name} in the file of --config is no setting: did you mean ${meant}?`]
    return prefix !== undefined && prefixes.has(prefix) ? [`${name} in the file of --config is no setting`] : []
  })
}
