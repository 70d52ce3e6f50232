/** Parts of an address from this length on are taken for keys wherever they stand. Shorter ones are words like any other. */
const keyCharsMin = 8

const shown = "[redacted]"

/** A text with what takes its place. */
type Rule = readonly [found: string, instead: string]

const decodedOf = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const base64Of = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""))

/** A secret where it stands for itself: only when it is too long to be a word of somebody else's. */
const anywhere = (secret: string): ReadonlyArray<Rule> =>
  [secret, decodedOf(secret)].filter((part) => part.length >= keyCharsMin).map((part): Rule => [part, shown])

const rulesOf = (url: URL): ReadonlyArray<Rule> => {
  const { password, pathname, searchParams, username } = url
  const userinfo = password === "" ? username : `${username}:${password}`
  const credentials = base64Of(`${decodedOf(username)}:${decodedOf(password)}`)
  const inUrl: ReadonlyArray<Rule> =
    userinfo === ""
      ? []
      : [
          [`${userinfo}@`, `${shown}@`],
          [`${decodedOf(username)}:${decodedOf(password)}`, shown],
          [`Basic ${credentials}`, `Basic ${shown}`]
        ]
  const inQuery = [...searchParams].flatMap(([name, value]): ReadonlyArray<Rule> => {
    if (value === "") return []
    const instead = `${name}=${shown}`
    return [
      [`${name}=${value}`, instead],
      [`${name}=${encodeURIComponent(value)}`, instead]
    ]
  })
  const parts = [username, password, credentials, ...pathname.split("/"), ...searchParams.values()]
  return [...inUrl, ...inQuery, ...parts.flatMap(anywhere)]
}

/**
 * Takes the secrets of endpoints out of a text, such as a node's words, before it comes into an error or a log.
 *
 * **Details**
 *
 * User and password, the header made of them, and values of the query are taken out exactly where they can stand, however short they
 * are. They, the parts of the path and the keys given beside the addresses are taken out wherever they stand from eight characters on:
 * shorter ones would take ordinary words to pieces.
 */
export const redactEndpoint = (
  urls: ReadonlyArray<string>,
  keys: ReadonlyArray<string> = []
): ((text: string) => string) => {
  const rules = [...urls.flatMap((url) => rulesOf(new URL(url))), ...keys.flatMap(anywhere)]
    // The longest first: one may contain another.
    .toSorted(([one], [other]) => other.length - one.length)
  return (text) => rules.reduce((cleaned, [found, instead]) => cleaned.replaceAll(found, () => instead), text)
}
