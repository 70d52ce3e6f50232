import { PgTypes } from "@effect/sql-pg"

/** A type of the database, with how arrays of it are sent. */
export interface ColumnType {
  /** Its name in casts. */
  readonly sql: string
  readonly oid: number
  readonly arrayOid: number
}

const { OID } = PgTypes

/**
 * 16 bytes for ids that we made: in lower case, with their hyphens. A record whose key is spelt otherwise is refused, since PostgreSQL gives
 * it back as we spell it; where others choose the keys, they are `text`.
 */
export const uuid: ColumnType = { sql: "uuid", oid: OID.uuid, arrayOid: OID.uuidArray }
/** Any text. */
export const text: ColumnType = { sql: "text", oid: OID.text, arrayOid: OID.textArray }
/** Whole numbers up to 2^31. */
export const int4: ColumnType = { sql: "int4", oid: OID.int4, arrayOid: OID.int4Array }
/** Whole numbers up to 2^63; sent as bigint. */
export const int8: ColumnType = { sql: "int8", oid: OID.int8, arrayOid: OID.int8Array }
/** Base units of any size; sent as text. As keys they have no leading zeros, and none at the end of what stands behind a point. */
export const numeric: ColumnType = { sql: "numeric", oid: OID.numeric, arrayOid: OID.numericArray }
/** True or false. */
export const bool: ColumnType = { sql: "bool", oid: OID.bool, arrayOid: OID.boolArray }
/** A moment; sent as Unix milliseconds. */
export const timestamptz: ColumnType = { sql: "timestamptz", oid: OID.timestamptz, arrayOid: OID.timestamptzArray }
/** A JSON value that comes back with its keys in the order in which they were stored. */
export const json: ColumnType = { sql: "json", oid: OID.json, arrayOid: OID.jsonArray }

/** A value as a parameter of a type. */
export const parameter = (type: ColumnType, value: unknown): PgTypes.Parameter => ({
  [PgTypes.ParameterTypeId]: PgTypes.ParameterTypeId,
  oid: type.oid,
  value
})

/** Values of one type as an array parameter, for `unnest` and `= any(…)`. */
export const arrayParameter = (type: ColumnType, values: ReadonlyArray<unknown>): PgTypes.Parameter => ({
  [PgTypes.ParameterTypeId]: PgTypes.ParameterTypeId,
  oid: type.arrayOid,
  value: values
})
