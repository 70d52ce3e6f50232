import { isUuid } from "@bursar/core/base/uuid"
import type { Network } from "@bursar/core/money/Network"
import type { AnyRecord, RecordDefinition } from "@bursar/core/engine/Records"
import type { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"
import { Queries, type ReadableRecords } from "@bursar/core/store/Queries"
import type { StorageError } from "@bursar/core/engine/StorageError"
import type { Balance } from "@bursar/core/ledger/Leg"
import { Operation } from "@bursar/core/operation/Operation"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { Connection } from "./Connection.ts"
import { attempt } from "./internal/attempt.ts"
import { batched, sharedRead } from "./internal/batched.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"
import { arrayParameter, text } from "./internal/columnTypes.ts"
import { canBeKey } from "./internal/keyValues.ts"
import { given, select } from "./internal/select.ts"
import { mappedIn } from "./internal/MappedRecord.ts"
import { readApart } from "./internal/readOne.ts"
import type { Statement } from "./internal/Table.ts"
import { addresses } from "./queries/addresses.ts"
import { keyConflicts } from "./queries/keyConflicts.ts"
import { largestSweepables } from "./queries/largestSweepables.ts"
import { customers, openTransactions, reorgedDeposits, sweeps } from "./queries/operatorLists.ts"
import { search } from "./queries/search.ts"
import { listedOperations, listedRegister, operations, register, summary } from "./queries/operations.ts"
import { accountLines, statement } from "./queries/statement.ts"
import { suspense, suspenseLines } from "./queries/suspense.ts"
import { addressTable } from "./table/addressTable.ts"
import { balanceTable } from "./table/balanceTable.ts"
import { idempotencyRecordTable } from "./table/idempotencyRecordTable.ts"
import { depositTable } from "./table/depositTable.ts"
import { endpointTable } from "./table/endpointTable.ts"
import { eventTable } from "./table/eventTable.ts"
import { legTable } from "./table/legTable.ts"
import { issuingAccountTable } from "./table/issuingAccountTable.ts"
import { xpubTable } from "./table/xpubTable.ts"

/** One of each definition, made when it is first wanted. */
const perName = <A>(make: (of: AnyRecord) => A) => {
  const made = new Map<string, A>()
  return (of: AnyRecord): A => {
    const there = made.get(of.name) ?? make(of)
    made.set(of.name, there)
    return there
  }
}

/** What can be read of one tenant. Every list goes along an index, a page costs as much as it shows. */
export const layer = Layer.effect(
  Queries,
  Effect.gen(function* () {
    const { mapping, sql } = yield* Connection

    const rowsOf = ({ parameters, sql: statementText }: Statement) => sql.unsafe<Row>(statementText, parameters)

    /** Records by their keys in ascending order. */
    const inOrder = <A>(entries: ReadonlyArray<readonly [string, unknown]>): ReadonlyArray<A> =>
      entries.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, record]) => record as A) // the table of a definition reads its records

    const recordsOf = <A, K>(of: RecordDefinition<A, K>, rows: ReadonlyArray<Row>): ReadonlyArray<A> =>
      inOrder(rows.map(mappedIn(mapping, of).entry))

    /** A tenant that cannot be has nothing. */
    const read = <A>(
      doing: string,
      tenantId: TenantId,
      none: A,
      use: () => Effect.Effect<A, SqlError>
    ): Effect.Effect<A, StorageError> => (isUuid(tenantId) ? use().pipe(attempt(doing)) : Effect.succeed(none))

    const recordReader = (of: AnyRecord) =>
      batched<unknown, unknown>({
        doing: `read a ${of.name}`,
        text: (key) => of.text(key),
        none: undefined,
        read: (tenantId, keys) => {
          const mapped = mappedIn(mapping, of)
          const wanted = mapped.byKeys(tenantId, keys)
          return Effect.map(
            wanted === undefined ? Effect.succeed([]) : rowsOf(wanted),
            (rows) => new Map(rows.map(mapped.entry))
          )
        }
      })

    const groupReader = (of: AnyRecord) =>
      batched<string, ReadonlyArray<unknown>>({
        doing: `list the records of ${of.name}`,
        text: (group) => group,
        none: [],
        read: (tenantId, groups) =>
          // what cannot be a group is simply not there, and keeps nobody from the others
          Effect.map(
            rowsOf(
              mappedIn(mapping, of).byGroups(
                tenantId,
                groups.filter((group) => canBeKey(text, group))
              )
            ),
            (rows) => Map.groupBy(recordsOf(of, rows), (record) => of.group(record) ?? "")
          )
      })

    const float = sharedRead<ReadonlyArray<Balance>>({
      doing: "read the float",
      none: [],
      read: (tenantId) =>
        select(
          sql,
          balanceTable,
          sql`where t.tenant_id = ${tenantId} and t.account in ('float:available', 'float:held')
            order by t.currency collate "C", t.account collate "C"`
        )
    })

    const idempotencyRecord = batched<string, IdempotencyRecord | undefined>({
      doing: "read a claim",
      text: (key) => key,
      none: undefined,
      read: (tenantId, keys) =>
        Effect.map(
          select(
            sql,
            idempotencyRecordTable,
            sql`where t.tenant_id = ${tenantId} and t.key = any(${arrayParameter(text, keys)})`
          ),
          (found) => new Map(found.map((one) => [one.key, one]))
        )
    })

    const readers = perName(recordReader)
    const groupReaders = perName(groupReader)

    return Queries.of({
      keyConflicts: (query) => keyConflicts(sql, query).pipe(attempt("list what lost its key")),
      addresses: (tenantId, query) => read("list addresses", tenantId, [], () => addresses(sql, tenantId, query)),
      address: (tenantId, id) =>
        read("read an address", tenantId, undefined, () =>
          isUuid(id)
            ? Effect.map(
                select(sql, addressTable, sql`where t.tenant_id = ${tenantId} and t.address_id = ${id}`),
                ([address]) => address
              )
            : Effect.succeed(undefined)
        ),
      xpubs: (tenantId, { includeRetired, network }) =>
        read("list xpubs", tenantId, [], () =>
          select(
            sql,
            xpubTable,
            sql`where ${sql.and([
              sql`t.tenant_id = ${tenantId}`,
              ...(includeRetired ? [] : [sql`t.retired_at is null`]),
              ...given(network, (one) => sql`t.network = ${one}`)
            ])} order by t.created_at, t.xpub_id`
          )
        ),
      issuingAccount: (tenantId, family) =>
        read("read an issuing account", tenantId, undefined, () =>
          Effect.map(
            select(sql, issuingAccountTable, sql`where t.tenant_id = ${tenantId} and t.family = ${family}`),
            ([account]) => account
          )
        ),
      deposits: (tenantId, { after, limit, reference }) =>
        read("list deposits", tenantId, [], () =>
          select(
            sql,
            depositTable,
            sql`where ${sql.and([
              sql`t.tenant_id = ${tenantId} and t.change_seq > ${after}`,
              ...given(reference, (one) => sql`t.reference = ${one}`)
            ])} order by t.change_seq limit ${limit}`
          )
        ),
      events: (tenantId, after, limit) =>
        read("read the feed", tenantId, [], () =>
          select(
            sql,
            eventTable,
            sql`where t.tenant_id = ${tenantId} and t.event_id > ${after} order by t.event_id limit ${limit}`
          )
        ),
      newestEvent: (tenantId, kinds) =>
        read("read the newest event", tenantId, undefined, () =>
          Effect.map(
            select(
              sql,
              eventTable,
              sql`where ${sql.and([
                sql`t.tenant_id = ${tenantId}`,
                ...given(kinds ?? undefined, (some) => sql`t.kind = any(${[...some]}::text[])`)
              ])} order by t.event_id desc limit 1`
            ),
            ([event]) => event
          )
        ),
      float,
      statement: (tenantId, query) =>
        read("read a statement", tenantId, { opening: 0n, closing: 0n, movements: [], truncated: false }, () =>
          statement(sql, tenantId, query)
        ),
      register: (tenantId, query) => read("read the register", tenantId, [], () => register(sql, tenantId, query)),
      listedRegister: (tenantId, query) =>
        read("list the register", tenantId, [], () => listedRegister(sql, tenantId, query)),
      summary: (tenantId, query) => read("sum up the register", tenantId, [], () => summary(sql, tenantId, query)),
      operations: (query) =>
        query.tenantId !== undefined && !isUuid(query.tenantId)
          ? Effect.succeed([])
          : operations(sql, query).pipe(attempt("list operations")),
      listedOperations: (query) =>
        query.tenantId !== undefined && !isUuid(query.tenantId)
          ? Effect.succeed([])
          : listedOperations(sql, query).pipe(attempt("list operations")),
      search: (texts, limit, amounts = []) => search(sql, { texts, amounts }, limit).pipe(attempt("search")),
      eventsOf: (tenantId, resourceId) =>
        read("read the events of a record", tenantId, [], () =>
          isUuid(resourceId)
            ? select(
                sql,
                eventTable,
                sql`where t.tenant_id = ${tenantId} and t.resource_id = ${resourceId} order by t.event_id`
              )
            : Effect.succeed([])
        ),
      operation: (tenantId, id) =>
        readers(Operation)(tenantId, id) as Effect.Effect<Operation | undefined, StorageError>, // see `record`
      legs: (tenantId, operationId) =>
        read("read the legs of an operation", tenantId, [], () =>
          isUuid(operationId)
            ? select(
                sql,
                legTable,
                sql`where t.tenant_id = ${tenantId} and t.operation_id = ${operationId}
              order by t.posting_seq, t.ordinal`
              )
            : Effect.succeed([])
        ),
      accountLines: (tenantId, query) =>
        read("list the lines of an account", tenantId, [], () => accountLines(sql, tenantId, query)),
      suspense: (tenantId) => read("read what stands in suspense", tenantId, [], () => suspense(sql, tenantId)),
      suspenseLines: (tenantId, query) =>
        read("list the lines of suspense", tenantId, [], () => suspenseLines(sql, tenantId, query)),
      idempotencyRecord,
      record: <A, K>(tenantId: TenantId, of: RecordDefinition<A, K>, key: K) =>
        // the table of a definition reads its records
        readers(of)(tenantId, key) as Effect.Effect<A | undefined, StorageError>,
      records: <A, K>(tenantId: TenantId, of: RecordDefinition<A, K>, group?: string) =>
        group === undefined
          ? read<ReadonlyArray<A>>(`list the records of ${of.name}`, tenantId, [], () =>
              Effect.map(rowsOf(mappedIn(mapping, of).all(tenantId)), (rows) => recordsOf(of, rows))
            )
          : (groupReaders(of)(tenantId, group) as Effect.Effect<ReadonlyArray<A>, StorageError>), // see `record`
      readable: <A, K>(tenantId: TenantId, of: RecordDefinition<A, K>, group?: string) =>
        read<ReadableRecords<A>>(`list the records of ${of.name}`, tenantId, { records: [], unreadable: [] }, () => {
          const mapped = mappedIn(mapping, of)
          const wanted = group === undefined ? mapped.all(tenantId) : mapped.byGroups(tenantId, [group])
          return Effect.map(rowsOf(wanted), (rows) => {
            const { records, unreadable } = readApart({ ...mapped.table, read: mapped.entry }, rows)
            return { records: inOrder<A>(records), unreadable }
          })
        }),
      customers: (tenantId, query) => read("list customers", tenantId, [], () => customers(sql, tenantId, query)),
      sweeps: (tenantId, query) => read("list sweeps", tenantId, [], () => sweeps(sql, tenantId, query)),
      largestSweepables: (tenantId, query) =>
        read("list what waits to be swept from an address", tenantId, [], () =>
          largestSweepables(sql, tenantId, query)
        ),
      openTransactions: (tenantId, walletId, limit) =>
        read("list the open transactions of a wallet", tenantId, [], () =>
          openTransactions(sql, tenantId, { walletId, limit })
        ),
      reorgedDeposits: (tenantId, limit) =>
        read("list reorged deposits", tenantId, [], () => reorgedDeposits(sql, tenantId, limit)),
      endpoints: (tenantId) =>
        read("list endpoints", tenantId, [], () =>
          select(sql, endpointTable, sql`where t.tenant_id = ${tenantId} order by t.created_at, t.endpoint_id`)
        ),
      heights: sql<Row>`select network, greatest(cursor_number, latest) as height from network_status
        where cursor_number is not null`.pipe(
        Effect.map(
          (rows): ReadonlyMap<Network, number> =>
            new Map(rows.map((row) => [Cell.text(row.network), Cell.int(row.height)]))
        ),
        attempt("read the heights")
      )
    })
  })
)
