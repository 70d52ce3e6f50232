import type { AnyRecord, RecordDefinition } from "@bursar/core/engine/Records"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Result } from "effect"
import type { Row } from "./cells.ts"
import { arrayParameter, type ColumnType, parameter, text, timestamptz, uuid } from "./columnTypes.ts"
import { canBeKey } from "./keyValues.ts"
import {
  column,
  type Column,
  groupColumn,
  type Heads,
  inserting,
  type RecordTable,
  selectList,
  type Statement,
  type Table
} from "./Table.ts"

/** How a batch's records of one kind are written. */
export interface PutOptions {
  readonly tenantId: TenantId
  readonly heads: Heads
  /** The keys that were loaded. */
  readonly known: { has(key: string): boolean }
  /** Whether what was not read is taken for new. */
  readonly trusting: boolean
  /** Whether the rows come back, to be asked whether they will be found. */
  readonly giving: boolean
}

/** A statement with the number of records that it writes. */
export interface PutStatement extends Statement {
  readonly count: number
  /** What is to be found in the rows that come back; undefined where none do. */
  readonly put?: ReadonlyArray<unknown>
}

/** A kind of record with the statements that load and write it. What is given to it is of its definition. */
export interface MappedRecord {
  readonly of: AnyRecord
  readonly table: Table<unknown>
  /** The columns by which its records are ordered as their keys are. */
  readonly order: string
  /** Undefined where none of the keys can be there. */
  readonly byKeys: (tenantId: TenantId, keys: ReadonlyArray<unknown>) => Statement | undefined
  readonly byGroups: (tenantId: TenantId, groups: ReadonlyArray<string>) => Statement
  /** All of the tenant, in order. */
  readonly all: (tenantId: TenantId) => Statement
  /** The text of a record's key, and the record. */
  readonly entry: (row: Row) => readonly [string, unknown]
  /** The text of a key that its column cannot hold, or would give back in another spelling, so that its record would not be found again. */
  readonly impossible: (records: ReadonlyArray<unknown>) => string | undefined
  /** The text of a key that none of the rows has which came back when its record was put. It throws where one cannot be read. */
  readonly missing: (records: ReadonlyArray<unknown>, rows: ReadonlyArray<Row>) => string | undefined
  readonly put: (records: ReadonlyArray<unknown>, options: PutOptions) => ReadonlyArray<PutStatement>
  /** Claims their keys among all tenants: it returns fewer rows than there are records where one is another tenant's. */
  readonly claim: ((tenantId: TenantId, records: ReadonlyArray<unknown>) => Statement) | undefined
}

interface SingleKey {
  readonly keyType: ColumnType
}

const keyColumnsOf = <A, K>(table: RecordTable<A, K>): ReadonlyArray<Column<K>> => {
  if ("keyColumns" in table) return table.keyColumns as ReadonlyArray<Column<K>> // what it has is told by K alone
  const { keyType } = table as unknown as SingleKey // see above
  return table.key.map((name) => column(name, keyType, (key) => key))
}

/** The value of a key in a column; undefined where it has none, as a fraction has none in a column of bigints. */
const valueIn = <K>({ of }: Column<K>, key: K): unknown => Result.getOrUndefined(Result.try(() => of(key)))

const selecting = <A>(table: Table<A>): string => `select ${selectList(table, "t")}`

/** One look-up by the key's index for each that is wanted, whatever the planner believes of the table. */
const byKeysText = <A, K>(table: Table<A>, columns: ReadonlyArray<Column<K>>): string => {
  const names = columns.map(({ name }) => name)
  const arrays = columns.map(({ type }, index) => `$${index + 2}::${type.sql}[]`)
  return `${selecting(table)} from unnest(${arrays.join(", ")}) as w(${names.join(", ")})
    cross join lateral (select * from ${table.name} r
      where r.tenant_id = $1 and ${names.map((name) => `r.${name} = w.${name}`).join(" and ")} limit 1) t`
}

/** Maps a kind of record to its table. */
export const mapRecord = <A, K>(of: RecordDefinition<A, K>, table: RecordTable<A, K>): MappedRecord => {
  const { groups, insertsUnread, unique } = table
  const { expiresAt, insertOnly } = of.traits
  if (
    (of.traits.unique === true) !== (unique !== undefined) ||
    (expiresAt !== undefined) !== (table.expiry !== undefined)
  )
    throw new Error(`the table ${table.name} does not have what the traits of ${of.name} need`)
  const columns = keyColumnsOf(table)
  const keysText = byKeysText(table, columns)
  const groupsText = `${selecting(table)} ${groups ?? `from ${table.name} t where t.tenant_id = $1 and t.${groupColumn} = any($2)`}`
  const order = columns.map(({ name, type }) => `t.${name}${type === text ? ` collate "C"` : ""}`).join(", ")
  const insert = { quiet: inserting(table, "fail"), giving: inserting(table, "fail", true) }
  const replace = { quiet: inserting(table, "replace"), giving: inserting(table, "replace", true) }
  const counted = (statement: typeof insert, tenantId: TenantId, records: ReadonlyArray<A>, giving: boolean) => {
    if (records.length === 0) return []
    const count = records.length
    return giving
      ? [{ ...statement.giving(tenantId, records), count, put: records }]
      : [{ ...statement.quiet(tenantId, records), count }]
  }
  const textOf = (record: A): string => of.text(of.key(record))
  const isKey = (key: K) => columns.every((one) => canBeKey(one.type, valueIn(one, key)))
  const alone = (statements: ReadonlyArray<Statement>) => statements.map((one) => ({ ...one, count: 1 }))
  return {
    of,
    table: table as Table<unknown>, // it is given records of its definition alone
    order,
    byKeys: (tenantId, keys) => {
      // what cannot be a key is simply not there
      const possible = (keys as ReadonlyArray<K>).filter(isKey)
      if (possible.length === 0) return undefined
      return {
        sql: keysText,
        parameters: [parameter(uuid, tenantId), ...columns.map((one) => arrayParameter(one.type, possible.map(one.of)))]
      }
    },
    byGroups: (tenantId, wanted) => ({
      sql: groupsText,
      parameters: [parameter(uuid, tenantId), arrayParameter(text, wanted)]
    }),
    all: (tenantId) => ({
      sql: `${selecting(table)} from ${table.name} t where t.tenant_id = $1 order by ${order}`,
      parameters: [parameter(uuid, tenantId)]
    }),
    entry: (row) => {
      const record = table.read(row)
      return [textOf(record), record]
    },
    impossible: (given) => {
      const found = (given as ReadonlyArray<A>).find((record) => !isKey(of.key(record))) // see `table`
      return found === undefined ? undefined : textOf(found)
    },
    missing: (given, rows) => {
      const stored = new Set(rows.map((row) => textOf(table.read(row))))
      return (given as ReadonlyArray<A>).map(textOf).find((key) => !stored.has(key)) // see `table`
    },
    put: (given, { giving, heads, known, tenantId, trusting }) => {
      const records = given as ReadonlyArray<A> // see `table`
      const around = table.alongside?.(tenantId, records, heads)
      const isNew = (record: A) =>
        insertOnly === true || (insertsUnread === true && trusting && !known.has(textOf(record)))
      const forgetting = {
        sql: `delete from ${table.name} where tenant_id = $1 and ${table.expiry} < $2`,
        parameters: [parameter(uuid, tenantId), parameter(timestamptz, heads.after.lastAt)]
      }
      return [
        ...alone(table.expiry === undefined ? [] : [forgetting]),
        ...alone(around?.before ?? []),
        ...counted(insert, tenantId, records.filter(isNew), giving),
        ...counted(
          replace,
          tenantId,
          records.filter((record) => !isNew(record)),
          giving
        ),
        ...alone(around?.after ?? [])
      ]
    },
    claim:
      unique === undefined
        ? undefined
        : (tenantId, records) => ({
            // ordered, so that two tenants that claim the same keys at once do not deadlock
            sql: `insert into ${unique.table} (${unique.column}, tenant_id)
              select k.key, $1::uuid from unnest($2::text[]) as k(key) order by k.key
              on conflict (${unique.column}) do update set tenant_id = excluded.tenant_id
              where ${unique.table}.tenant_id = excluded.tenant_id returning 1`,
            parameters: [parameter(uuid, tenantId), arrayParameter(text, (records as ReadonlyArray<A>).map(textOf))]
          })
  }
}

/** Kinds of records with their tables, by name, in the order in which they are written. */
export type RecordMapping = ReadonlyMap<string, MappedRecord>

/** Whether a kind has a table: another definition of its name may have one. */
export const isMapped =
  (mapping: RecordMapping) =>
  (of: AnyRecord): boolean =>
    mapping.get(of.name)?.of === of

/** The mapping of a kind. One that has no table is a mistake of the assembly. */
export const mappedIn = (mapping: RecordMapping, of: AnyRecord): MappedRecord => {
  const found = mapping.get(of.name)
  if (found === undefined) throw new Error(`the kind of record ${of.name} has no table`)
  if (found.of !== of) throw new Error(`the table of ${of.name} is of another kind of that name`)
  return found
}
