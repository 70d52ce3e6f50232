import { isUuid } from "@bursar/core/base/uuid"
import type { DepositAddress } from "@bursar/core/address/DepositAddress"
import type { AddressQuery } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { given, select } from "../internal/select.ts"
import { addressTable } from "../table/addressTable.ts"

/** A page of addresses, oldest first. */
export const addresses = (
  sql: SqlClient,
  tenantId: TenantId,
  { address, after, includeRetired, limit, network, reference }: AddressQuery
): Effect.Effect<ReadonlyArray<DepositAddress>, SqlError> =>
  after !== undefined && !isUuid(after)
    ? Effect.succeed([])
    : select(
        sql,
        addressTable,
        sql`where ${sql.and([
          sql`t.tenant_id = ${tenantId}`,
          ...(includeRetired ? [] : [sql`t.retired_at is null`]),
          ...given(network, (one) => sql`t.network = ${one}`),
          ...given(reference, (one) => sql`t.reference = ${one}`),
          ...given(address, (one) => sql`t.address = ${one}`),
          // an unknown `after` compares with null, and so nothing comes after it
          ...given(
            after,
            (one) => sql`(t.created_at, t.address_id) > (
        select a.created_at, a.address_id from address a where a.tenant_id = ${tenantId} and a.address_id = ${one})`
          )
        ])} order by t.created_at, t.address_id limit ${limit}`
      )
