import type { Network } from "@bursar/core/money/Network"
import type { BookedLine } from "@bursar/core/reconciliation/candidates"
import { Positions, type HeldAddress, type PlaceBalance } from "@bursar/core/reconciliation/Positions"
import type { AssetAccount } from "@bursar/core/ledger/Account"
import type { ReadableRecords } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Context, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Connection } from "./Connection.ts"
import { attempt } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"
import { arrayParameter, text } from "./internal/columnTypes.ts"
import { readApart } from "./internal/readOne.ts"
import { type ReadTable, selectList } from "./internal/Table.ts"
import { depositTable } from "./table/depositTable.ts"
import { operationTable } from "./table/operationTable.ts"
import { outboundTransactionTable } from "./table/outboundTransactionTable.ts"
import { walletTransferTable } from "./table/walletTransferTable.ts"
import * as Cursor from "./watch/cursor.ts"

const suspense = "suspense:"

/** What left a place without having stood there is on the credit side of its part of suspense: below zero in its balance. */
const balanceOf = (row: Row): PlaceBalance => ({
  account: Cell.text(row.account) as AssetAccount, // it is one of those that were asked for
  currency: Cell.text(row.currency),
  units: Cell.units(row.units)
})

const balances = (sql: SqlClient.SqlClient, accounts: ReadonlyArray<AssetAccount>, kind: string | null) =>
  Effect.map(
    sql<Row>`select replace(b.account, ${suspense}, '') as account, b.currency, sum(b.units) as units from balance b
      join tenant t on t.tenant_id = b.tenant_id
      where b.account = any(${arrayParameter(
        text,
        accounts.flatMap((account) => [account, `${suspense}${account}`])
      )}) and (${kind}::text is null or t.kind = ${kind})
      group by 1, 2 order by 1, 2`,
    (rows) => rows.map(balanceOf)
  )

const operationsOf: Readonly<Record<"custodian" | "bank", ReadonlyArray<string>>> = {
  custodian: ["WITHDRAWAL", "SWAP"],
  bank: ["OFF_RAMP", "BANK_TRANSFER", "REFUND", "ON_RAMP"]
}

/** How many lines of each tenant are looked through at once for one of an amount: only those that match are read. */
export const LinesAtOnce = Context.Reference<number>("@bursar/postgres/LinesAtOnce", { defaultValue: () => 100_000 })

interface LinesSought {
  readonly account: AssetAccount
  readonly currency: string
  readonly units: bigint
  readonly around: number
  readonly limit: number
}

/** Some lines of each tenant: as many as are looked through at once, behind those that were. */
interface Stretch {
  readonly skipped: number
  readonly atOnce: number
}

/** Looks through a stretch of each tenant's lines, the newest first, and says of when the newest line is that is left behind it. */
const stretchOf = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { account, around, currency, limit, units }: LinesSought,
  { atOnce, skipped }: Stretch
) {
  const [from, to] = [BigInt(skipped), BigInt(skipped + atOnce)]
  const rows =
    yield* sql<Row>`select l.operation_id, l.tenant_id, l.posted_at, l.what from balance b cross join lateral (
      select * from ledger_leg l where l.tenant_id = b.tenant_id and l.account = b.account and l.currency = b.currency
        and l.version <= b.version - ${from} and l.version > b.version - ${to} and l.units = ${units.toString()}::numeric) as l
    where b.account = ${account} and b.currency = ${currency} and b.version > ${from}
    order by abs(extract(epoch from (l.posted_at - ${new Date(around)}::timestamptz))), l.operation_id limit ${limit}`
  const [left] = yield* sql<Row>`select max(l.posted_at) as newest from balance b
    join ledger_leg l on l.tenant_id = b.tenant_id and l.account = b.account and l.currency = b.currency
      and l.version = b.version - ${to}
    where b.account = ${account} and b.currency = ${currency} and b.version > ${to}`
  const found = rows.map((row): BookedLine => ({
    operationId: Cell.text(row.operation_id),
    tenantId: TenantId(Cell.text(row.tenant_id)),
    at: Cell.at(row.posted_at),
    what: Cell.text(row.what)
  }))
  return { found, newestLeft: left?.newest == null ? null : Cell.at(left.newest) }
})

const byDistance = (around: number) => (one: BookedLine, other: BookedLine) =>
  Math.abs(one.at - around) - Math.abs(other.at - around) || (one.operationId < other.operationId ? -1 : 1)

/** The lines of an amount that are the nearest in time: goes back until nothing that is left can be nearer, however many lines there are. */
const nearestLines = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, sought: LinesSought) {
  const { around, limit } = sought
  const atOnce = yield* LinesAtOnce
  let nearest: ReadonlyArray<BookedLine> = []
  for (let skipped = 0; ; skipped += atOnce) {
    const { found, newestLeft } = yield* stretchOf(sql, sought, { atOnce, skipped })
    nearest = [...nearest, ...found].toSorted(byDistance(around)).slice(0, limit)
    const farthest = nearest.length < limit ? undefined : nearest.at(-1)
    if (newestLeft === null) return nearest
    if (farthest !== undefined && around - newestLeft >= Math.abs(farthest.at - around)) return nearest
  }
})

const heldAddresses = (
  sql: SqlClient.SqlClient,
  networks: ReadonlyArray<Network>,
  after: string | null,
  limit: number
) => {
  const on = arrayParameter(text, networks)
  const from = after ?? ""
  return Effect.map(
    sql<Row>`select address, max(place) as place from (
        (select address, 'payouts' as place from payout_wallet
          where network = any(${on}) and address collate "C" > ${from})
        union all
        (select distinct address, 'deposits' as place from address
          where network = any(${on}) and origin in ('ISSUED', 'IMPORTED') and address collate "C" > ${from})
      ) as held group by address order by address collate "C" limit ${limit}`,
    (rows) =>
      rows.map((row): HeldAddress => ({
        address: Cell.text(row.address),
        place: Cell.oneOf(["payouts", "deposits"], row.place)
      }))
  )
}

/** Reads rows of a table in some way, each apart. */
const readingEach =
  <A>({ key, name }: Pick<ReadTable<unknown>, "key" | "name">, read: (row: Row) => A) =>
  (rows: ReadonlyArray<Row>): ReadableRecords<A> =>
    readApart({ key, name, read }, rows)

const depositsOf = (sql: SqlClient.SqlClient, network: Network, above: number) => {
  const booked = sql`(t.credited_by is not null or exists (
    select from sweepable_deposit s where s.tenant_id = t.tenant_id and s.booked_by is not null
      and s.sweepable_deposit_key = t.network || '|' || t.tx_hash || '|' || t.transfer_index))`
  return Effect.map(
    sql<Row>`select ${sql.literal(selectList(depositTable, "t"))}, ${booked} as is_booked from deposit t
      join address a on a.tenant_id = t.tenant_id and a.address_id = t.address_id and a.origin in ('ISSUED', 'IMPORTED')
      where t.network = ${network} and t.status <> 'REORGED' and t.block_number is not null
        and ((t.credited_by is null and not ${booked}) or t.block_number > ${BigInt(above)})`,
    readingEach(depositTable, (row) => ({ deposit: depositTable.read(row), isBooked: Cell.flag(row.is_booked) }))
  )
}

/** What a transaction of the tenant's own brought is in the books with that transaction, or will be. */
const transfersOf = (sql: SqlClient.SqlClient, network: Network, above: number) =>
  Effect.map(
    sql<Row>`select ${sql.literal(selectList(walletTransferTable, "t"))} from wallet_transfer t
      where t.network = ${network} and t.status <> 'REORGED' and (t.status = 'DETECTED' or t.block_number > ${BigInt(above)})
        and not exists (select from transaction_attempt a
          where a.tenant_id = t.tenant_id and a.attempt_key = t.network || '|' || t.tx_hash)`,
    readingEach(walletTransferTable, (row) => {
      const transfer = walletTransferTable.read(row)
      return { transfer, isBooked: transfer.bookedBy !== null }
    })
  )

const transactionsOf = (sql: SqlClient.SqlClient, network: Network, above: number) =>
  Effect.map(
    sql<Row>`select ${sql.literal(selectList(outboundTransactionTable, "t"))} from outbound_transaction t
      where t.network = ${network} and (t.phase in ('SIGNED', 'BROADCAST', 'INCLUDED')
        or (t.phase = 'FINAL' and t.block_number > ${BigInt(above)}))`,
    readingEach(outboundTransactionTable, (row) => ({
      transaction: outboundTransactionTable.read(row),
      tenantId: TenantId(Cell.text(row.tenant_id))
    }))
  )

/**
 * What was left behind by sweeps that are over, all of other deposits, those among them that are not confirmed yet, and what is left of the coin that
 * addresses were given for fees. Seldom asked, and by no index.
 */
const movable = (sql: SqlClient.SqlClient, network: Network, currency: string, isNative: boolean) =>
  Effect.map(
    sql<Row>`with imported as (select tenant_id, address_id from address where network = ${network} and origin = 'IMPORTED'),
      theirs as (
        select distinct w.tenant_id, w.top_up_transaction_id as given_by,
            case when w.contract is not null then w.sweep_transaction_id end as spent_by from imported i
          join sweep w on w.tenant_id = i.tenant_id and w.address_id = i.address_id
          where ${isNative} and w.top_up_transaction_id is not null),
      spent as (
        select w.tenant_id, w.given_by, coalesce(sum(t.fee), 0) as units from theirs w
          left join outbound_transaction t on t.tenant_id = w.tenant_id and t.transaction_id = w.spent_by and t.phase = 'FINAL'
          group by w.tenant_id, w.given_by),
      given as (
        select greatest(0, (select coalesce(sum((payment ->> 'units')::numeric), 0)
            from json_array_elements(t.payments) as payment) - s.units) as units from spent s
          join outbound_transaction t on t.tenant_id = s.tenant_id and t.transaction_id = s.given_by)
      select (select coalesce(sum(units), 0) from given) + (
        select coalesce(sum(case when w.sweep_id is null then s.units else s.unbacked end), 0) from imported i
          join sweepable_deposit s on s.tenant_id = i.tenant_id and s.address_id = i.address_id
          left join sweep w on w.tenant_id = s.tenant_id and w.sweep_id = s.sweep_id
            and w.state = 'SWEPT' and w.closed_at is not null
          where s.currency = ${currency} and (not s.gone or s.sweep_id is not null)) + (
        select coalesce(sum(d.units), 0) from imported i
          join deposit d on d.tenant_id = i.tenant_id and d.address_id = i.address_id
          where d.network = ${network} and d.currency = ${currency} and d.status = 'DETECTED' and d.block_number is not null
            and not exists (select from sweepable_deposit s
              where s.tenant_id = d.tenant_id and s.sweepable_deposit_key = d.network || '|' || d.tx_hash || '|' || d.transfer_index
                and (not s.gone or s.sweep_id is not null))) as units`,
    ([row]) => Cell.units(row?.units)
  )

/** Where the value of all tenants stands by the books, each time from one snapshot. */
export const layer = Layer.effect(
  Positions,
  Effect.map(Connection, ({ sql }) => {
    const snapshot = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      sql
        .withTransaction(effect)
        .pipe(Effect.provideService(SqlClient.BeginTransaction, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"))
    return Positions.of({
      addresses: (networks, after, limit) =>
        heldAddresses(sql, networks, after, limit).pipe(attempt("list the addresses whose coins the service holds")),
      chain: (network, above) =>
        snapshot(
          Effect.gen(function* () {
            const accounts = [`chain:${network}:payouts`, `chain:${network}:deposits`] as const
            const deposits = yield* depositsOf(sql, network, above)
            const transfers = yield* transfersOf(sql, network, above)
            const transactions = yield* transactionsOf(sql, network, above)
            return {
              network,
              balances: yield* balances(sql, accounts, null),
              cursor: yield* Cursor.cursor(sql, network),
              deposits: deposits.records,
              transfers: transfers.records,
              transactions: transactions.records,
              unreadable: [deposits, transfers, transactions].flatMap(({ unreadable }) => unreadable)
            }
          })
        ).pipe(attempt("read where value stands on a network")),
      movable: ({ currency, isNative, network }) =>
        movable(sql, network, currency, isNative).pipe(attempt("sum up what tenants may have moved")),
      provider: ({ account, environment, provider, since }) =>
        snapshot(
          Effect.gen(function* () {
            const rows = yield* sql<Row>`select ${sql.literal(selectList(operationTable, "t"))} from operation t
              where t.provider = ${provider} and t.kind = any(${arrayParameter(text, operationsOf[account])})
                and (t.status not in ('SETTLED', 'FAILED', 'RETURNED') or t.settled_at >= ${new Date(since)})`
            const { records: operations, unreadable } = readApart(operationTable, rows)
            return { balances: yield* balances(sql, [account], environment), operations, unreadable }
          })
        ).pipe(attempt("read where value stands at a provider")),
      lines: (sought) => snapshot(nearestLines(sql, sought)).pipe(attempt("look for lines of an amount"))
    })
  })
)
