import { Schema } from "effect"
import { uuidPattern } from "../base/uuid.ts"
import { type Canonical, canonicalText } from "./canonical.ts"

/**
 * A text that people read before they approve: nothing in it moves the cursor or turns the direction of writing. Chains that were made before hold
 * texts with other signs that nobody sees: no new proposal may (`hiddenSign`).
 */
export const readable = (lengthMax: number) =>
  Schema.String.check(
    Schema.isPattern(new RegExp(`^[^\\p{C}\\p{Zl}\\p{Zp}]{0,${lengthMax}}$`, "u"), {
      expected: `at most ${lengthMax} characters, none of them invisible`
    })
  )

/** The same, and never empty. */
export const readableSome = (lengthMax: number) => readable(lengthMax).check(Schema.isMinLength(1))

/** What leaves no mark, or one that only looks like a space. */
const hidden = /(?! )[\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}\u{13441}\u{13442}]/u

/**
 * The first sign among the texts of a value that nobody sees or tells from a space, by its number, such as U+3164; undefined where there is none. It is strict: some
 * scripts write such signs, and a text of a grant is to be written without them, so that what looks alike is alike.
 */
export const hiddenSign = (value: Canonical): string | undefined => {
  const [sign] = hidden.exec(canonicalText(value)) ?? []
  return sign && `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`
}

/** A name that a machine goes by: letters, digits and a few signs. */
export const Name = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._:@|/-]{0,254}$/u, { expected: "a name" })
)

/** The id of a public key, such as its thumbprint (RFC 7638), which may begin with any sign of base64url. */
export const KeyId = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{1,128}$/u, { expected: "the id of a key" }))

/** A whole number that is not negative, in decimal digits. */
export const Digits = Schema.String.check(
  Schema.isPattern(/^(?:0|[1-9][0-9]{0,14})$/u, { expected: "a whole number as a decimal text" })
)

/** A whole number of base units, negative or not, never zero. */
export const Units = Schema.String.check(
  Schema.isPattern(/^-?[1-9][0-9]{0,77}$/u, { expected: "base units as a decimal text" })
)

/** The most base units of something, which may be none. */
export const UnitsMax = Schema.String.check(
  Schema.isPattern(/^(?:0|[1-9][0-9]{0,77})$/u, { expected: "base units as a decimal text" })
)

/** A decimal text, such as a sum in US dollars. */
export const Decimal = Schema.String.check(
  Schema.isPattern(/^(?:0|[1-9][0-9]{0,29})(?:\.[0-9]{0,17}[1-9])?$/u, {
    expected: "a decimal text without needless zeros"
  })
)

/** SHA-256, lower-case hexadecimal. */
export const Hash = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u, { expected: "64 hexadecimal digits" }))

/** A moment in UTC, to the millisecond. */
export const Moment = Schema.String.check(
  Schema.isPattern(/^20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z$/u, {
    expected: "a moment such as 2026-11-23T09:00:00.000Z"
  }),
  Schema.makeFilter((text: string) => !Number.isNaN(Date.parse(text)))
)

/** Base64url without padding. */
export const base64Url = (lengthMin: number, lengthMax: number) =>
  Schema.String.check(
    Schema.isPattern(new RegExp(`^[A-Za-z0-9_-]{${lengthMin},${lengthMax}}$`, "u"), {
      expected: "base64url without padding"
    })
  )

/** A tenant's identifier: a UUID in lower case. */
export const Uuid = Schema.String.check(Schema.isPattern(uuidPattern, { expected: "a UUID" }))
