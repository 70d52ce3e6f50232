import type { PgTypes } from "@effect/sql-pg"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import type { Row } from "./cells.ts"
import { arrayParameter, type ColumnType, parameter, uuid } from "./columnTypes.ts"

/** A column of a tenant's table: its type, and what of a record stands in it, as the driver wants it. */
export interface Column<A> {
  readonly name: string
  readonly type: ColumnType
  readonly of: (record: A) => unknown
}

/** How records of one kind stand in their table. Every such table begins with `tenant_id`. */
export interface Table<A> {
  readonly name: string
  /** The columns of its primary key after `tenant_id`. */
  readonly key: ReadonlyArray<string>
  readonly columns: ReadonlyArray<Column<A>>
  /** Reads a record from a row that has `tenant_id` and all the columns. */
  readonly read: (row: Row) => A
}

/** A column. */
export const column = <A>(name: string, type: ColumnType, of: (record: A) => unknown): Column<A> => ({ name, type, of })

/** An int8 column. */
export const bigintColumn = <A>(name: string, type: ColumnType, of: (record: A) => number | null): Column<A> => ({
  name,
  type,
  of: (record) => {
    const value = of(record)
    return value === null ? null : BigInt(value)
  }
})

/** The columns to select for `read`, each under its own name. */
export const selectList = <A>(table: Table<A>, alias: string): string =>
  ["tenant_id", ...table.columns.map(({ name }) => name)].map((name) => `${alias}.${name}`).join(", ")

/**
 * The one statement that writes any number of records: $1 is the tenant, then one array per column. `replace` puts them
 * in place of the rows of the same key; `fail` fails where there is one.
 */
export const insertStatement = <A>(table: Table<A>, existing: "replace" | "fail"): string => {
  const names = table.columns.map(({ name }) => name)
  const arrays = table.columns.map(({ type }, index) => `$${index + 2}::${type.sql}[]`)
  const replaced = names.filter((name) => !table.key.includes(name)).map((name) => `${name} = excluded.${name}`)
  return [
    `insert into ${table.name} (tenant_id, ${names.join(", ")})`,
    `select $1::uuid, written.* from unnest(${arrays.join(", ")}) as written`,
    ...(existing === "replace"
      ? [`on conflict (${["tenant_id", ...table.key].join(", ")}) do update set ${replaced.join(", ")}`]
      : [])
  ].join(" ")
}

/** The parameters of `insertStatement`. */
export const insertParameters = <A>(
  table: Table<A>,
  tenantId: TenantId,
  records: ReadonlyArray<A>
): ReadonlyArray<PgTypes.Parameter> => [
  parameter(uuid, tenantId),
  ...table.columns.map(({ of, type }) => arrayParameter(type, records.map(of)))
]
