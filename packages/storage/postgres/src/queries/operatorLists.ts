import { isUuid } from "@bursar/core/base/uuid"
import type { Customer } from "@bursar/core/customer/Customer"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import type { CustomerQuery, SweepQuery } from "@bursar/core/store/Queries"
import type { Sweep } from "@bursar/core/sweep/Sweep"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import type { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { given, select } from "../internal/select.ts"
import { customerTable } from "../table/customerTable.ts"
import { depositTable } from "../table/depositTable.ts"
import { outboundTransactionTable } from "../table/outboundTransactionTable.ts"
import { sweepTable } from "../table/sweepTable.ts"

/** A page of customers, newest first. */
export const customers = (
  sql: SqlClient,
  tenantId: TenantId,
  { after, externalId, limit }: CustomerQuery
): Effect.Effect<ReadonlyArray<Customer>, SqlError> =>
  select(
    sql,
    customerTable,
    sql`where ${sql.and([
      sql`t.tenant_id = ${tenantId}`,
      ...given(externalId, (one) => sql`t.external_id = ${one}`),
      ...given(after, ({ createdAt, id }) => sql`(t.created_at, t.customer_id) < (${new Date(createdAt)}, ${id}::uuid)`)
    ])} order by t.created_at desc, t.customer_id desc limit ${limit}`
  )

/** A page of sweeps, newest first. */
export const sweeps = (
  sql: SqlClient,
  tenantId: TenantId,
  { addressId, after, limit, open }: SweepQuery
): Effect.Effect<ReadonlyArray<Sweep>, SqlError> =>
  addressId !== undefined && !isUuid(addressId)
    ? Effect.succeed([])
    : select(
        sql,
        sweepTable,
        sql`where ${sql.and([
          sql`t.tenant_id = ${tenantId}`,
          ...given(open, (isOpen) => (isOpen ? sql`t.closed_at is null` : sql`t.closed_at is not null`)),
          ...given(addressId, (one) => sql`t.address_id = ${one}`),
          ...given(
            after,
            ({ createdAt, id }) => sql`(t.created_at, t.sweep_id) < (${new Date(createdAt)}, ${id}::uuid)`
          )
        ])} order by t.created_at desc, t.sweep_id desc limit ${limit}`
      )

/** What a wallet pays for and is not over, oldest first. */
export const openTransactions = (
  sql: SqlClient,
  tenantId: TenantId,
  { limit, walletId }: { readonly walletId: string; readonly limit: number }
): Effect.Effect<ReadonlyArray<OutboundTransaction>, SqlError> =>
  isUuid(walletId)
    ? select(
        sql,
        outboundTransactionTable,
        sql`where t.tenant_id = ${tenantId} and t.wallet_id = ${walletId} and t.ended_at is null
          order by t.reserved_at, t.transaction_id limit ${limit}`
      )
    : Effect.succeed([])

/** Deposits whose block left the chain, the latest first. */
export const reorgedDeposits = (
  sql: SqlClient,
  tenantId: TenantId,
  limit: number
): Effect.Effect<ReadonlyArray<Deposit>, SqlError> =>
  select(
    sql,
    depositTable,
    sql`where t.tenant_id = ${tenantId} and t.reorged_at is not null
      order by t.reorged_at desc, t.deposit_id desc limit ${limit}`
  )
