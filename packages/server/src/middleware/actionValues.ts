const redacted = "[redacted]"

/** Names of fields that hold a secret, or what opens one, wherever they stand. Digests of secrets are kept out with them. */
const secretName = /secret|token|password|passphrase|private|sealed|^seal$|^hash$|credential/iu

/** The longest text of values that is kept; the digest of a request stands for the rest. */
const charactersMax = 16_384

/** A value as JSON, without what must not be written down. */
const plain = (value: unknown): unknown => {
  if (typeof value === "bigint") return value.toString()
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64")
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== "object" || value === null) return value
  if (value instanceof Map || value instanceof Set) return [...value].map(plain)
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      secretName.test(name) && one !== null && one !== undefined ? redacted : plain(one)
    ])
  )
}

/** Values as the text that the audit log keeps: secrets are left out, and what is too long is only counted. */
export const valuesText = (values: Readonly<Record<string, unknown>>): string => {
  const text = JSON.stringify(plain(values))
  return text.length <= charactersMax ? text : JSON.stringify({ too_long: text.length })
}

/** Whether two values are written down alike. */
export const sameValues = (one: unknown, other: unknown): boolean =>
  JSON.stringify(plain(one)) === JSON.stringify(plain(other))
