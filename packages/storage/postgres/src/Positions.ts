import type { Network } from "@bursar/core/money/Network"
import { Positions, type HeldAddress, type PlaceBalance } from "@bursar/core/reconciliation/Positions"
import type { AssetAccount } from "@bursar/core/ledger/Account"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Connection } from "./Connection.ts"
import { attempt } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"
import { arrayParameter, text } from "./internal/columnTypes.ts"
import { select } from "./internal/select.ts"
import { selectList } from "./internal/Table.ts"
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

/** How many of the newest lines of an account are looked through for one of an amount. */
const linesLookedAt = 10_000

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

const depositsOf = (sql: SqlClient.SqlClient, network: Network, above: number) => {
  const booked = sql`(t.credited_by is not null or exists (
    select from sweepable_deposit s where s.tenant_id = t.tenant_id and s.booked_by is not null
      and s.sweepable_deposit_key = t.network || '|' || t.tx_hash || '|' || t.transfer_index))`
  return Effect.map(
    sql<Row>`select ${sql.literal(selectList(depositTable, "t"))}, ${booked} as is_booked from deposit t
      join address a on a.tenant_id = t.tenant_id and a.address_id = t.address_id and a.origin in ('ISSUED', 'IMPORTED')
      where t.network = ${network} and t.status <> 'REORGED' and t.block_number is not null
        and ((t.credited_by is null and not ${booked}) or t.block_number > ${BigInt(above)})`,
    (rows) => rows.map((row) => ({ deposit: depositTable.read(row), isBooked: Cell.flag(row.is_booked) }))
  )
}

/** What a transaction of the tenant's own brought is in the books with that transaction, or will be. */
const transfersOf = (sql: SqlClient.SqlClient, network: Network, above: number) =>
  Effect.map(
    select(
      sql,
      walletTransferTable,
      sql`where t.network = ${network} and t.status <> 'REORGED' and (t.status = 'DETECTED' or t.block_number > ${BigInt(above)})
        and not exists (select from transaction_attempt a
          where a.tenant_id = t.tenant_id and a.attempt_key = t.network || '|' || t.tx_hash)`
    ),
    (found) => found.map((transfer) => ({ transfer, isBooked: transfer.bookedBy !== null }))
  )

const transactionsOf = (sql: SqlClient.SqlClient, network: Network, above: number) =>
  Effect.map(
    sql<Row>`select ${sql.literal(selectList(outboundTransactionTable, "t"))} from outbound_transaction t
      where t.network = ${network} and (t.phase in ('SIGNED', 'BROADCAST', 'INCLUDED')
        or (t.phase = 'FINAL' and t.block_number > ${BigInt(above)}))`,
    (rows) =>
      rows.map((row) => ({
        transaction: outboundTransactionTable.read(row),
        tenantId: TenantId(Cell.text(row.tenant_id))
      }))
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
            return {
              network,
              balances: yield* balances(sql, [`chain:${network}:payouts`, `chain:${network}:deposits`], null),
              cursor: yield* Cursor.cursor(sql, network),
              deposits: yield* depositsOf(sql, network, above),
              transfers: yield* transfersOf(sql, network, above),
              transactions: yield* transactionsOf(sql, network, above)
            }
          })
        ).pipe(attempt("read where value stands on a network")),
      provider: ({ account, environment, provider, since }) =>
        snapshot(
          Effect.gen(function* () {
            return {
              balances: yield* balances(sql, [account], environment),
              operations: yield* select(
                sql,
                operationTable,
                sql`where t.provider = ${provider} and t.kind = any(${arrayParameter(text, operationsOf[account])})
                  and (t.status not in ('SETTLED', 'FAILED', 'RETURNED') or t.settled_at >= ${new Date(since)})`
              )
            }
          })
        ).pipe(attempt("read where value stands at a provider")),
      lines: ({ account, around, currency, limit, units }) =>
        sql<Row>`select l.operation_id, l.tenant_id, l.posted_at, l.what from tenant t cross join lateral (
            select * from ledger_leg l where l.tenant_id = t.tenant_id and l.account = ${account} and l.currency = ${currency}
            order by l.version desc limit ${linesLookedAt}) as l
          where l.units = ${units.toString()}::numeric
          order by abs(extract(epoch from (l.posted_at - ${new Date(around)}::timestamptz))), l.operation_id limit ${limit}`.pipe(
          Effect.map((rows) =>
            rows.map((row) => ({
              operationId: Cell.text(row.operation_id),
              tenantId: Cell.text(row.tenant_id),
              at: Cell.at(row.posted_at),
              what: Cell.text(row.what)
            }))
          ),
          attempt("look for lines of an amount")
        )
    })
  })
)
