import type { Connection as SqlConnection } from "effect/sql/SqlConnection"
import { isUuid } from "@bursar/core/base/uuid"
import type { StorageError } from "@bursar/core/engine/StorageError"
import type { Balance } from "@bursar/core/ledger/Leg"
import { operationKinds } from "@bursar/core/operation/OperationKind"
import { Journal, type JournalEntry, type JournalFilter, type PostingRange } from "@bursar/core/store/Journal"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { transactionPurposes } from "@bursar/core/transaction/OutboundTransaction"
import { Effect, Layer, Option, Stream } from "effect"
import { Connection } from "./Connection.ts"
import { attempt } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"
import { account, legTable } from "./table/legTable.ts"
import { selectList } from "./internal/Table.ts"

/** How many legs are fetched at a time. */
const fetchRows = 2_000

const setUp = [
  "begin isolation level repeatable read read only",
  // what was fetched is being written to somebody, as slowly as that one reads; who stops reading is cut off
  "set local idle_in_transaction_session_timeout = '5min'"
]

const kinds = [...operationKinds, ...transactionPurposes]

/** A text as it stands in a statement: a cursor takes no parameters. */
const quoted = (value: string): string => `'${value.replaceAll("'", "''")}'`

const conditions = (tenantId: TenantId, { after, through }: PostingRange, { accounts, currency }: JournalFilter) =>
  [
    `l.tenant_id = ${quoted(tenantId)} and l.posting_seq > ${BigInt(after)} and l.posting_seq <= ${BigInt(through)}`,
    ...(accounts === undefined ? [] : [`l.account = any(array[${accounts.map(quoted).join(", ")}]::text[])`]),
    ...(currency === undefined ? [] : [`l.currency = ${quoted(currency)}`])
  ].join(" and ")

const cursorOf = (where: string): string => `declare journal no scroll cursor for
  select ${selectList(legTable, "l")}, coalesce(o.kind, x.purpose) as kind, coalesce(o.network, x.network) as network,
    o.partner_reference, o.tx_hash
  from ledger_leg l
  left join operation o on o.tenant_id = l.tenant_id and o.operation_id = l.operation_id
  left join outbound_transaction x on x.tenant_id = l.tenant_id and x.transaction_id = l.operation_id
  where ${where} order by l.posting_seq, l.ordinal`

const entryOf = (rows: ReadonlyArray<Row>, first: Row): JournalEntry => ({
  posting: Cell.int(first.posting_seq),
  postedAt: Cell.at(first.posted_at),
  subject: {
    id: Cell.text(first.operation_id),
    kind: first.kind === null ? null : Cell.oneOf(kinds, first.kind),
    network: Cell.textOrNull(first.network),
    partnerReference: Cell.textOrNull(first.partner_reference),
    txHash: Cell.textOrNull(first.tx_hash)
  },
  legs: rows.map(legTable.read)
})

/** The postings that are complete among rows, and the rows of the last, which may go on. */
const grouped = (
  rows: ReadonlyArray<Row>
): { readonly entries: ReadonlyArray<JournalEntry>; readonly rest: ReadonlyArray<Row> } => {
  const groups = [...Map.groupBy(rows, (row) => Cell.int(row.posting_seq)).values()]
  const rest = groups.pop() ?? []
  return { entries: groups.flatMap((group) => group.slice(0, 1).map((first) => entryOf(group, first))), rest }
}

const fetching =
  (connection: SqlConnection) =>
  (
    kept: ReadonlyArray<Row>
  ): Effect.Effect<readonly [ReadonlyArray<JournalEntry>, Option.Option<ReadonlyArray<Row>>], StorageError> =>
    Effect.map(
      connection.executeUnprepared(`fetch ${fetchRows} from journal`, [], undefined),
      (rows: ReadonlyArray<Row>) => {
        const { entries, rest } = grouped([...kept, ...rows])
        if (rows.length === fetchRows) return [entries, Option.some(rest)] as const
        return [[...entries, ...rest.slice(0, 1).map((first) => entryOf(rest, first))], Option.none()] as const
      }
    ).pipe(attempt("read the journal"))

/** A tenant's books in the order in which they were written. */
export const layer = Layer.effect(
  Journal,
  Effect.gen(function* () {
    const { long, sql } = yield* Connection

    const open = Effect.fnUntraced(function* (tenantId: TenantId, range: PostingRange, filter: JournalFilter) {
      const connection = yield* long.reserve
      yield* Effect.addFinalizer(() => Effect.ignore(connection.executeRaw("rollback", [])))
      for (const statement of setUp) yield* connection.executeRaw(statement, [])
      yield* connection.executeUnprepared(cursorOf(conditions(tenantId, range, filter)), [], undefined)
      return connection
    })

    return Journal.of({
      lastPosting: (tenantId) =>
        sql<Row>`select posting_seq from tenant_head where tenant_id = ${tenantId}`.pipe(
          Effect.map(([row]) => (row === undefined ? 0 : Cell.int(row.posting_seq))),
          attempt("read the last posting")
        ),
      lastBefore: (tenantId, moment, after) =>
        sql<Row>`select max(posting_seq) as last from ledger_leg
          where tenant_id = ${tenantId} and posting_seq > ${BigInt(after)} and posted_at < ${new Date(moment)}`.pipe(
          Effect.map(([row]) => Cell.intOrNull(row?.last ?? null) ?? after),
          attempt("read the postings before a moment")
        ),
      firstAfter: (tenantId, after) =>
        sql<Row>`select posted_at from ledger_leg where tenant_id = ${tenantId} and posting_seq > ${BigInt(after)}
          order by posting_seq limit 1`.pipe(
          Effect.map(([row]) => (row === undefined ? undefined : Cell.at(row.posted_at))),
          attempt("read the first posting")
        ),
      balancesAt: (tenantId, posting) =>
        // from the newest leg of each account back: what is asked for is seldom far behind
        sql<Row>`select b.account, b.currency, l.balance, l.version
          from balance b cross join lateral (
            select balance, version from ledger_leg
            where tenant_id = b.tenant_id and account = b.account and currency = b.currency
              and posting_seq <= ${BigInt(posting)}
            order by version desc limit 1) l
          where b.tenant_id = ${tenantId} order by b.account collate "C", b.currency collate "C"`.pipe(
          Effect.map((rows) =>
            rows.map((row): Balance => ({
              account: account(row.account),
              currency: Cell.text(row.currency),
              units: Cell.units(row.balance),
              version: Cell.int(row.version)
            }))
          ),
          attempt("read what accounts held")
        ),
      entries: (tenantId, range, filter = {}) =>
        isUuid(tenantId) && range.after < range.through
          ? Stream.unwrap(
              Effect.map(open(tenantId, range, filter).pipe(attempt("read the journal")), (connection) =>
                Stream.paginate<ReadonlyArray<Row>, JournalEntry, StorageError>([], fetching(connection))
              )
            )
          : Stream.empty
    })
  })
)
