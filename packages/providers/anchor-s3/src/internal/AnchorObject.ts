import { AuditSeal } from "@bursar/core/audit/AuditSeal"
import { Schema } from "effect"

/** A seal as an object, with the number of the seal whose object comes before: so a missing one is noticed. Null in the first. */
export const AnchorObject = Schema.Struct({ seal: AuditSeal, previous: Schema.NullOr(Schema.Int) })

/** A seal as an object. */
export type AnchorObject = typeof AnchorObject.Type

const digits = 12

const form = /seal-(\d{12})\.json$/u

/** The name of a seal's object. Names sort as numbers do. */
export const keyOf = (prefix: string, number: number): string =>
  `${prefix}seal-${String(number).padStart(digits, "0")}.json`

/** The number of the seal that a name is of; undefined where it is of none under this prefix: a folder below may be another anchor's. */
export const numberOf = (prefix: string, key: string): number | undefined => {
  const number = form.exec(key)?.[1]
  return number !== undefined && key === keyOf(prefix, Number(number)) ? Number(number) : undefined
}

/** Reads an object. */
export const decodeObject = Schema.decodeUnknownOption(Schema.fromJsonString(AnchorObject))
