import type { PgTypes } from "@effect/sql-pg"
import type { Head } from "@bursar/core/engine/WriteSet"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import type { Row } from "./cells.ts"
import { arrayParameter, type ColumnType, parameter, uuid } from "./columnTypes.ts"

/** A column of a tenant's table: its type, and what of a record stands in it, as the driver wants it. */
export interface Column<A> {
  readonly name: string
  readonly type: ColumnType
  readonly of: (record: A) => unknown
  /** Columns of the same group are not written at all where they are null in every record. */
  readonly group?: string
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

/** How rows of a table are read, by whoever writes none. */
export type ReadTable<A> = Pick<Table<A>, "key" | "name" | "read"> & {
  readonly columns: ReadonlyArray<{ readonly name: string }>
}

/** A column. */
export const column = <A>(name: string, type: ColumnType, of: (record: A) => unknown): Column<A> => ({ name, type, of })

/** Columns that are seldom filled and left out together where they are not: each costs time per row even when null. */
export const seldom = <A>(group: string, columns: ReadonlyArray<Column<A>>): ReadonlyArray<Column<A>> =>
  columns.map((one) => ({ ...one, group }))

/** An int8 column. */
export const bigintColumn = <A>(name: string, type: ColumnType, of: (record: A) => number | null): Column<A> => ({
  name,
  type,
  of: (record) => {
    const value = of(record)
    return value === null ? null : BigInt(value)
  }
})

/** The heads before and after a batch. */
export interface Heads {
  readonly before: Head
  readonly after: Head
}

/** How records of a kind stand in their table. */
export type RecordTable<A, K = string> = Table<A> & {
  /**
   * What stands behind the select list to find the groups `$2` of the tenant `$1`, with the table as `t`. Without it they are
   * found by the column `record_group`, if the table has it.
   */
  readonly groups?: string
  /** Whether records that were not read are taken for new, which is quicker to write, until one turns out not to be. */
  readonly insertsUnread?: true
  /** Where keys that are `unique` have their owners among all tenants: a table with the column of the key and `tenant_id`. */
  readonly unique?: { readonly table: string; readonly column: string }
  /** The column of the moment `expiresAt`. */
  readonly expiry?: string
  /** What is written just before and just after the records. */
  readonly alongside?: (
    tenantId: TenantId,
    records: ReadonlyArray<A>,
    heads: Heads
  ) => { readonly before: ReadonlyArray<Statement>; readonly after: ReadonlyArray<Statement> }
} & ([K] extends [string]
    ? {
        /** The type of the one column of its key. */
        readonly keyType: ColumnType
      }
    : {
        /** The columns that tell a key, with its values for them. */
        readonly keyColumns: ReadonlyArray<Column<K>>
      })

/** The column of the group, of tables of records that have one. */
export const groupColumn = "record_group"

/** The columns to select for `read`, each under its own name. */
export const selectList = (
  table: { readonly columns: ReadonlyArray<{ readonly name: string }> },
  alias: string
): string => ["tenant_id", ...table.columns.map(({ name }) => name)].map((name) => `${alias}.${name}`).join(", ")

/** A statement with its parameters. */
export interface Statement {
  readonly sql: string
  readonly parameters: ReadonlyArray<PgTypes.Parameter>
}

// `unnest` stands in the select list, where arrays of equal length advance together row by row; behind `from` each
// would first be written out to a store of its own
const insertText = <A>(
  table: Table<A>,
  columns: ReadonlyArray<Column<A>>,
  existing: "replace" | "fail",
  giving: boolean
): string => {
  const names = columns.map(({ name }) => name)
  const arrays = columns.map(({ type }, index) => `unnest($${index + 2}::${type.sql}[])`)
  // a column that is left out is null in what is written, and so replaces what was there too
  const replaced = table.columns
    .filter(({ name }) => !table.key.includes(name))
    .map(({ name }) => `${name} = excluded.${name}`)
  // a row that is left as it is is not given back
  const untouched = giving ? `do update set tenant_id = t.tenant_id` : "do nothing"
  return [
    `insert into ${table.name} as t (${["tenant_id", ...names].join(", ")})`,
    `select ${["$1::uuid", ...arrays].join(", ")}`,
    ...(existing === "replace"
      ? [
          `on conflict (${["tenant_id", ...table.key].join(", ")})`,
          replaced.length === 0 ? untouched : `do update set ${replaced.join(", ")}`
        ]
      : []),
    ...(giving ? [`returning ${selectList(table, "t")}`] : [])
  ].join(" ")
}

/**
 * Makes the one statement that writes any number of records of a tenant: one array per column. `replace` puts them in
 * place of the rows of the same key; `fail` fails where there is one. Where it is `giving`, the rows come back as they are stored. There are as
 * few texts as there are sets of groups in use.
 */
export const inserting = <A>(
  table: Table<A>,
  existing: "replace" | "fail",
  giving = false
): ((tenantId: TenantId, records: ReadonlyArray<A>) => Statement) => {
  const texts = new Map<string, string>()
  return (tenantId, records) => {
    const values = table.columns.map((one) => ({ one, column: records.map(one.of) }))
    const used = new Set(
      values.flatMap(({ column: cells, one }) =>
        one.group === undefined || cells.every((cell) => cell === null) ? [] : [one.group]
      )
    )
    const written = values.filter(({ one }) => one.group === undefined || used.has(one.group))
    const key = [...used].join()
    const sql =
      texts.get(key) ??
      insertText(
        table,
        written.map(({ one }) => one),
        existing,
        giving
      )
    texts.set(key, sql)
    return {
      sql,
      parameters: [
        parameter(uuid, tenantId),
        ...written.map(({ column: cells, one }) => arrayParameter(one.type, cells))
      ]
    }
  }
}
