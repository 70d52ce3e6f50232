import type { Connection as SqlConnection } from "effect/sql/SqlConnection"
import { isUuid } from "@bursar/core/base/uuid"
import type { Filed, SubjectKind, SubjectRange, SubjectRows } from "@bursar/core/checker/subjects"
import type { RecordDefinition } from "@bursar/core/engine/Records"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { StorageError } from "@bursar/core/engine/StorageError"
import type { UnreadableRow } from "@bursar/core/engine/UnreadableRow"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Layer, Option, Stream } from "effect"
import { Connection } from "./Connection.ts"
import { attempt } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"
import { arrayParameter, parameter, text, uuid } from "./internal/columnTypes.ts"
import { mappedIn } from "./internal/MappedRecord.ts"
import { readOne } from "./internal/readOne.ts"
import { type ReadTable, selectList, type Table } from "./internal/Table.ts"
import {
  digestColumn,
  digestText,
  filedTables,
  filedText,
  type Filing,
  filings,
  subjectColumn
} from "./queries/filedRows.ts"
import { wrongTotalText } from "./storage/totals.ts"
import { jobTable } from "./table/jobTable.ts"
import { balanceTable } from "./table/balanceTable.ts"
import { idempotencyRecordTable } from "./table/idempotencyRecordTable.ts"
import { depositTable } from "./table/depositTable.ts"
import { eventTable } from "./table/eventTable.ts"
import { legTable } from "./table/legTable.ts"
import { operationTable } from "./table/operationTable.ts"
import { headColumns, readHead, tenantTable } from "./table/tenantTable.ts"

/** How many rows are fetched at a time. */
const fetchRows = 1_000

const setUp = [
  "begin isolation level repeatable read read only",
  // a snapshot waits while what was read is being checked
  "set local idle_in_transaction_session_timeout = 0",
  // subjects stand in the texts of cursors, and digests are of rows as texts
  "set local standard_conforming_strings = on",
  "set local timezone = 'UTC'",
  "set local bytea_output = 'hex'",
  "set local extra_float_digits = 1",
  "set local datestyle = 'ISO'"
]

const headStatement = `select ${selectList(tenantTable, "t")}, ${headColumns}
  from tenant_head h join tenant t on t.tenant_id = h.tenant_id where h.tenant_id = $1`

const balancesStatement = `select ${selectList(balanceTable, "t")} from balance t where t.tenant_id = $1`

const readAll = <A>(table: Table<A>, rows: ReadonlyArray<Row>, unreadable: Map<string, UnreadableRow>) =>
  rows.flatMap((row) => readOne(table, row, unreadable))

/** A snapshot of one tenant that is being read. */
interface Reading {
  readonly connection: SqlConnection
  readonly tenantId: TenantId
  readonly unreadable: Map<string, UnreadableRow>
}

/** How rows are fetched from a cursor. */
interface Fetching<A> {
  readonly doing: string
  readonly rowsPerFetch: number
  readonly read: (row: Row) => ReadonlyArray<A>
}

/** What a statement gives, piece by piece from a cursor of the snapshot's transaction. It takes no parameters. */
const fetched = <A>(
  { connection }: Reading,
  statement: string,
  { doing, read, rowsPerFetch }: Fetching<A>
): Stream.Stream<A, StorageError> => {
  const fetch = (cursor: string) =>
    Effect.map(
      connection.executeUnprepared(`fetch ${rowsPerFetch} from ${cursor}`, [], undefined),
      (rows: ReadonlyArray<Row>) =>
        [rows.flatMap(read), rows.length < rowsPerFetch ? Option.none<string>() : Option.some(cursor)] as const
    ).pipe(attempt(doing))
  const open = Effect.suspend(() => {
    const cursor = `c${crypto.randomUUID().replaceAll("-", "")}`
    return connection
      .executeUnprepared(`declare ${cursor} no scroll cursor for ${statement}`, [], undefined)
      .pipe(Effect.as(cursor), attempt(doing))
  })
  return Stream.unwrap(Effect.map(open, (cursor) => Stream.paginate(cursor, fetch)))
}

const readingOf = ({ name }: Pick<ReadTable<unknown>, "name">): string => `read the ${name} rows of a tenant`

/** A whole table of one tenant in order. Its id stands in the text, having been checked. */
const rowsOf = <A>(reading: Reading, table: Table<A>, order: string): Stream.Stream<A, StorageError> =>
  fetched(
    reading,
    `select ${selectList(table, "t")} from ${table.name} t where t.tenant_id = '${reading.tenantId}' order by ${order}`,
    {
      doing: readingOf(table),
      rowsPerFetch: fetchRows,
      read: (row) => readOne(table, row, reading.unreadable)
    }
  )

const filedIn = (reading: Reading, filing: Filing, range: SubjectRange, readRows: number, seed: number | null) => {
  const table: ReadTable<SubjectRows[SubjectKind]> = filedTables[filing.kind]
  return fetched(reading, filedText(filing, reading.tenantId, range, seed), {
    doing: readingOf(table),
    rowsPerFetch: readRows,
    read: (row) =>
      readOne(table, row, reading.unreadable).map(
        (record) =>
          ({
            kind: filing.kind,
            subject: Cell.text(row[subjectColumn]),
            row: record,
            beside: filing.beside === true,
            digest: seed === null ? null : BigInt(String(row[digestColumn]))
          }) as Filed // the row is of its kind: it was read by the table of that
      )
  })
}

/** The first of the kept totals that is not what operations come to, in words. */
const wrongTotal = ({ connection, tenantId }: Reading): Effect.Effect<string | undefined, StorageError> =>
  connection.execute(wrongTotalText, [parameter(uuid, tenantId)], undefined).pipe(
    Effect.map(([row]: ReadonlyArray<Row>) => {
      if (row === undefined) return undefined
      const { currency, kept, kind, made, span, starts_at: startsAt, status } = row
      const when =
        span === "ever" ? "ever" : `in the ${String(span)} from ${new Date(Cell.at(startsAt)).toISOString()} on`
      return `the total of ${String(kind)} in ${String(currency)} that are ${String(status)}, ${when}, counts ${String(kept)} operations; there are ${String(made)}, or they come to something else`
    }),
    attempt("hold the totals of a tenant against its operations")
  )

const kinds = Object.keys(filedTables) as ReadonlyArray<SubjectKind> // the keys of a closed record

const counts = ({ connection, tenantId }: Reading) =>
  connection
    .execute(
      `select ${kinds.map((kind) => `(select count(*) from ${filedTables[kind].name} where tenant_id = $1) as "${kind}"`).join(", ")}`,
      [parameter(uuid, tenantId)],
      undefined
    )
    .pipe(
      Effect.map(
        ([row = {}]: ReadonlyArray<Row>) =>
          Object.fromEntries(kinds.map((kind) => [kind, Cell.int(row[kind])])) as Record<SubjectKind, number> // all kinds
      ),
      attempt("count the rows of a tenant")
    )

const digests = Effect.fnUntraced(function* (
  { connection, tenantId }: Reading,
  between: ReadonlyArray<string>,
  seed: number
) {
  const found = between.map(() => ({ filed: 0, digest: 0n }))
  for (const filing of filings) {
    const rows: ReadonlyArray<Row> = yield* connection.execute(
      digestText(filing, tenantId, seed),
      [arrayParameter(text, between)],
      undefined
    )
    for (const row of rows) {
      const place = found[Cell.int(row["place"]) - 1]
      if (place === undefined) continue
      place.filed += Cell.int(row["filed"])
      place.digest += Cell.units(row["digest"])
    }
  }
  return found
}, attempt("hold the rows of a tenant against what was checked"))

/**
 * A tenant's books from one snapshot. It holds a session for as long as it is used, and delays only the clean-up of
 * old rows.
 */
export const layer = Layer.effect(
  LedgerSnapshot,
  Effect.gen(function* () {
    const { long, mapping } = yield* Connection

    const begin = Effect.fnUntraced(function* (tenantId: TenantId) {
      const connection = yield* long.reserve
      yield* Effect.addFinalizer(() => Effect.ignore(connection.executeRaw("rollback", [])))
      for (const statement of setUp) yield* connection.executeRaw(statement, [])
      const tenant = [parameter(uuid, tenantId)]
      const [head]: ReadonlyArray<Row> = yield* connection.execute(headStatement, tenant, undefined)
      const balances: ReadonlyArray<Row> = yield* connection.execute(balancesStatement, tenant, undefined)
      const unreadable = new Map<string, UnreadableRow>()
      const reading: Reading = { connection, tenantId, unreadable }
      return { reading, head, balances: readAll(balanceTable, balances, unreadable) }
    })

    return LedgerSnapshot.of({
      snapshot: (tenantId, use) =>
        Effect.gen(function* () {
          const unknown = new StorageError({
            doing: "read the books",
            cause: new Error(`there is no tenant ${tenantId}`)
          })
          if (!isUuid(tenantId)) return yield* unknown
          const { balances, head, reading } = yield* begin(tenantId).pipe(attempt("read the books"))
          if (head === undefined) return yield* unknown
          return yield* use({
            head: readHead(head),
            balances,
            legs: rowsOf(reading, legTable, "t.posting_seq, t.ordinal"),
            operations: rowsOf(reading, operationTable, "t.operation_id"),
            deposits: rowsOf(reading, depositTable, "t.change_seq"),
            events: rowsOf(reading, eventTable, "t.event_id"),
            idempotencyRecords: rowsOf(reading, idempotencyRecordTable, `t.key collate "C"`),
            jobs: rowsOf(reading, jobTable, `t.queue collate "C", t.key collate "C"`),
            wrongTotal: wrongTotal(reading),
            unreadable: Effect.sync(() => [...reading.unreadable.values()]),
            filed: (range, { readRows, seed }) =>
              filings.map((filing) => filedIn(reading, filing, range, readRows, seed)),
            counts: counts(reading),
            digests: (between, seed) => digests(reading, between, seed),
            records: <A, K>(of: RecordDefinition<A, K>) => {
              const { order, table } = mappedIn(mapping, of)
              return rowsOf(reading, table as Table<A>, order) // it is the table of this definition
            }
          })
        }).pipe(Effect.scoped)
    })
  })
)
