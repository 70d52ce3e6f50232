import { Schema, SchemaTransformation } from "effect"

/** Variables that have a value, by name. */
export type Present = Readonly<Record<string, string | undefined>>

/** The variables that have a value: an empty one is none. */
export const withoutEmpty = (variables: Present): Present =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ""))

/** A whole number within bounds, written in decimal. */
export const integer = (minimum: number, maximum: number) => {
  const expected = `a whole number from ${minimum} to ${maximum}`
  const digits = Schema.String.check(Schema.isPattern(/^[0-9]+$/u, { expected }))
  return digits.pipe(
    Schema.decodeTo(
      Schema.Int.check(Schema.isBetween({ minimum, maximum }, { expected })),
      SchemaTransformation.numberFromString
    )
  )
}

/** The parts of a list with commas; none where there is no text. */
export const listed = (text: string | undefined): ReadonlyArray<string> =>
  (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")

/** URLs of these protocols, with commas: one at least, and none twice. */
export const urls = (protocols: ReadonlyArray<string>) =>
  Schema.String.check(
    Schema.makeFilter((text) => {
      const parts = listed(text)
      const allGood = parts.every((part) => URL.canParse(part) && protocols.includes(new URL(part).protocol))
      if (parts.length === 0 || !allGood)
        return `must be a URL that starts with ${protocols.join(" or ")}, or several with commas`
      return new Set(parts.map((part) => new URL(part).href)).size === parts.length
        ? undefined
        : "names the same URL twice"
    })
  )

/** A URL of one of these protocols. */
export const url = (protocols: ReadonlyArray<string>) =>
  Schema.String.check(
    Schema.makeFilter((text) => {
      return URL.canParse(text) && protocols.includes(new URL(text).protocol)
        ? undefined
        : `must be a URL that starts with ${protocols.join(" or ")}`
    })
  )

const loopback = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/u

/** This machine, by whatever name a URL has for it. */
const ownMachine =
  /^(?:(?:.+\.)?localhost|127(?:\.[0-9]{1,3}){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/u

/** The machine that a URL names, without its port; undefined where it is no URL. All names of this machine are one. */
export const machineOf = (
  text: string
): { readonly name: string; readonly port: string; readonly own: boolean } | undefined => {
  const parsed = URL.parse(text)
  if (parsed === null) return undefined
  const name = parsed.hostname.replace(/\.$/u, "")
  const own = ownMachine.test(name)
  return { name: own ? "localhost" : name, port: parsed.port, own }
}

/** A URL whose answers nobody on the way can read or change: https, or http on this machine. */
export const protectedUrl = Schema.String.check(
  Schema.makeFilter((text) => {
    const { hostname, protocol } = URL.canParse(text) ? new URL(text) : { hostname: "", protocol: "" }
    return protocol === "https:" || (protocol === "http:" && loopback.test(hostname))
      ? undefined
      : "must be a URL that starts with https:, or with http: on this machine"
  })
)

/** A secret that is long enough. */
export const secret = (charactersMin: number) =>
  Schema.String.check(Schema.isMinLength(charactersMin, { expected: `at least ${charactersMin} characters` }))
