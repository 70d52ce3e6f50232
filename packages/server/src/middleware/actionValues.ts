const redacted = "[redacted]"

/** Names of fields that hold a secret, or what opens one, wherever they stand. Digests of secrets are kept out with them. */
const secretName = /secret|token|password|passphrase|private|sealed|^seal$|^hash$|credential/iu

/** The longest text of values that is kept; the digest of a request stands for the rest. */
const charactersMax = 16_384

/** How deep values are written down. No record is as deep, and a body that is must not use up the stack. */
const depthMax = 32

const tooDeep = "[too deep]"

/** A value as JSON, without what must not be written down. */
const plain = (value: unknown, depth = 0): unknown => {
  if (typeof value === "bigint") return value.toString()
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64")
  if (typeof value !== "object" || value === null) return value
  if (depth >= depthMax) return tooDeep
  const within = (one: unknown) => plain(one, depth + 1)
  if (Array.isArray(value) || value instanceof Map || value instanceof Set) return [...value].map(within)
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      secretName.test(name) && one !== null && one !== undefined ? redacted : within(one)
    ])
  )
}

/** Values as the text that the audit log keeps: secrets are left out, and what is too long is only counted. */
export const valuesText = (values: Readonly<Record<string, unknown>>): string => {
  const text = JSON.stringify(plain(values))
  return text.length <= charactersMax ? text : JSON.stringify({ too_long: text.length })
}

/** Whether the text of values says no more than how long they were. */
export const areTooLong = (text: string): boolean => text.startsWith('{"too_long":')

/** Whether two values are written down alike. */
export const sameValues = (one: unknown, other: unknown): boolean =>
  JSON.stringify(plain(one)) === JSON.stringify(plain(other))
