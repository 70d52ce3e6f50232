import type { Connection as SqlConnection } from "effect/sql/SqlConnection"
import type { RecordDefinition } from "@bursar/core/engine/Records"
import { LedgerSnapshot, type UnreadableRow } from "@bursar/core/store/LedgerSnapshot"
import { StorageError } from "@bursar/core/engine/StorageError"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Layer, Option, Stream } from "effect"
import { Connection } from "./Connection.ts"
import { attempt } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"
import { parameter, uuid } from "./internal/columnTypes.ts"
import { isId } from "./internal/ids.ts"
import { mappedIn } from "./internal/MappedRecord.ts"
import { selectList, type Table } from "./internal/Table.ts"
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
const fetchRows = 2_000

const setUp = [
  "begin isolation level repeatable read read only",
  // a snapshot is as long as the books are, and waits while what was read is being checked
  "set local statement_timeout = 0",
  "set local idle_in_transaction_session_timeout = 0"
]

const headStatement = `select ${selectList(tenantTable, "t")}, ${headColumns}
  from tenant_head h join tenant t on t.tenant_id = h.tenant_id where h.tenant_id = $1`

const balancesStatement = `select ${selectList(balanceTable, "t")} from balance t where t.tenant_id = $1`

/** A row by its table and its key, as they stand in the database. */
const placeOf = <A>({ key, name }: Table<A>, row: Row): string =>
  [name, ...key.map((column) => String(row[column]))].join(" ")

/** Reads rows, and notes those that are not what they have to be: one row must not hide all others. */
const readAll = <A>(table: Table<A>, rows: ReadonlyArray<Row>, unreadable: Array<UnreadableRow>): ReadonlyArray<A> =>
  rows.flatMap((row) => {
    try {
      return [table.read(row)]
    } catch (error) {
      unreadable.push({ row: placeOf(table, row), problem: error instanceof Error ? error.message : String(error) })
      return []
    }
  })

/** A snapshot of one tenant that is being read. */
interface Reading {
  readonly connection: SqlConnection
  readonly tenantId: TenantId
  readonly unreadable: Array<UnreadableRow>
}

/** A whole table of one tenant in order, fetched piece by piece from a cursor of the snapshot's transaction. */
const rowsOf = <A>(
  { connection, tenantId, unreadable }: Reading,
  table: Table<A>,
  order: string
): Stream.Stream<A, StorageError> => {
  const fetch = (cursor: string) =>
    Effect.map(
      connection.executeUnprepared(`fetch ${fetchRows} from ${cursor}`, [], undefined),
      (rows: ReadonlyArray<Row>) =>
        [
          readAll(table, rows, unreadable),
          rows.length < fetchRows ? Option.none<string>() : Option.some(cursor)
        ] as const
    ).pipe(attempt(`read the ${table.name} rows of a tenant`))
  // the tenant's id stands in the text, having been checked: a cursor takes no parameters
  const open = Effect.suspend(() => {
    const cursor = `c${crypto.randomUUID().replaceAll("-", "")}`
    return connection
      .executeUnprepared(
        `declare ${cursor} no scroll cursor for select ${selectList(table, "t")} from ${table.name} t
        where t.tenant_id = '${tenantId}' order by ${order}`,
        [],
        undefined
      )
      .pipe(Effect.as(cursor), attempt(`read the ${table.name} rows of a tenant`))
  })
  return Stream.unwrap(Effect.map(open, (cursor) => Stream.paginate(cursor, fetch)))
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

/**
 * A tenant's books from one snapshot. It holds a session for as long as it is used, and delays only the clean-up of
 * old rows.
 */
export const layer = Layer.effect(
  LedgerSnapshot,
  Effect.gen(function* () {
    const { mapping, sql } = yield* Connection

    const begin = Effect.fnUntraced(function* (tenantId: TenantId) {
      const connection = yield* sql.reserve
      yield* Effect.addFinalizer(() => Effect.ignore(connection.executeRaw("rollback", [])))
      for (const statement of setUp) yield* connection.executeRaw(statement, [])
      const tenant = [parameter(uuid, tenantId)]
      const [head]: ReadonlyArray<Row> = yield* connection.execute(headStatement, tenant, undefined)
      const balances: ReadonlyArray<Row> = yield* connection.execute(balancesStatement, tenant, undefined)
      const unreadable: Array<UnreadableRow> = []
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
          if (!isId(tenantId)) return yield* unknown
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
            unreadable: Effect.sync(() => [...reading.unreadable]),
            records: <A, K>(of: RecordDefinition<A, K>) => {
              const { order, table } = mappedIn(mapping, of)
              return rowsOf(reading, table as Table<A>, order) // it is the table of this definition
            }
          })
        }).pipe(Effect.scoped)
    })
  })
)
