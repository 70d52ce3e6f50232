import type { SweepablesQuery } from "@bursar/core/store/Queries"
import type { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "../internal/cells.ts"
import { selectList } from "../internal/Table.ts"
import { sweepableDepositTable } from "../table/sweepableDepositTable.ts"

/**
 * The largest of each currency that wait to be swept from an address. Along `sweepable_deposit_largest` it looks up one currency after the other, and
 * so many rows of each: what it costs does not grow with what waits.
 */
export const largestSweepables = (
  sql: SqlClient,
  tenantId: TenantId,
  { addressId, limit }: SweepablesQuery
): Effect.Effect<ReadonlyArray<SweepableDeposit>, SqlError> =>
  Effect.map(
    sql<Row>`with recursive found(currency) as (
        (select s.currency from sweepable_deposit s where s.tenant_id = ${tenantId} and s.record_group = ${addressId}
          order by s.currency limit 1)
        union all
        select (select s.currency from sweepable_deposit s where s.tenant_id = ${tenantId} and s.record_group = ${addressId}
          and s.currency > found.currency order by s.currency limit 1) from found where found.currency is not null
      )
      select ${sql.literal(selectList(sweepableDepositTable, "t"))} from found cross join lateral (
        select * from sweepable_deposit s where s.tenant_id = ${tenantId} and s.record_group = ${addressId}
          and s.currency = found.currency order by s.units desc limit ${limit}
      ) t where found.currency is not null`,
    (rows) => rows.map(sweepableDepositTable.read)
  )
