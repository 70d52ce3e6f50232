import { Schema } from "effect"

/** Variables that have a value, by name. */
export type Present = Readonly<Record<string, string | undefined>>

/** A whole number within bounds, written in decimal. */
export const integer = (minimum: number, maximum: number) =>
  Schema.NumberFromString.check(
    Schema.isBetween({ minimum, maximum }, { expected: `a whole number from ${minimum} to ${maximum}` }),
    Schema.isInt()
  )

/** A URL of one of these protocols. */
export const url = (protocols: ReadonlyArray<string>) =>
  Schema.String.check(
    Schema.makeFilter((text) => {
      const parsed = URL.parse(text)
      return parsed !== null && protocols.includes(parsed.protocol)
        ? undefined
        : `must be a URL that starts with ${protocols.join(" or ")}`
    })
  )

/** A secret that is long enough. */
export const secret = (charactersMin: number) =>
  Schema.String.check(Schema.isMinLength(charactersMin, { expected: `at least ${charactersMin} characters` }))
