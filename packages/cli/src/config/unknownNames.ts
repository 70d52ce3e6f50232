/** Names of other programs, which may stand in the same file: it is often the environment of the whole service. */
const ofOthers =
  /^(?:NODE_|OTEL_|AWS_(?!KMS_)|BURSAR_|PG|LC_|[A-Z]+_PROXY$|NO_COLOR$|FORCE_COLOR$|TZ$|LANG$|PATH$|HOME$)/u

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

/** As many letters may be wrong in a name that is meant for another. */
const nearMax = 3

const nearest = (name: string, known: ReadonlySet<string>): string | undefined =>
  [...known]
    .map((other) => ({ other, far: distance(name, other) }))
    .filter(({ far }) => far <= nearMax)
    .toSorted((one, two) => one.far - two.far)[0]?.other

/** The names of a file that nobody reads, in words: a setting with a mistake in its name would not be set, and nobody would be told. */
export const unknownNames = (names: ReadonlyArray<string>, known: ReadonlySet<string>): ReadonlyArray<string> =>
  names
    .filter((name) => !known.has(name) && !ofOthers.test(name))
    .map((name) => {
      const meant = nearest(name, known)
      return `${name} in the file of --config is no setting${meant === undefined ? "" : `: did you mean ${meant}?`}`
    })
