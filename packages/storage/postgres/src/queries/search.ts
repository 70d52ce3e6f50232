import { isUuid } from "@bursar/core/base/uuid"
import type { Amount } from "@bursar/core/money/Amount"
import { operationTexts, type SearchHit } from "@bursar/core/store/SearchHit"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { arrayParameter, numeric, text, uuid } from "../internal/columnTypes.ts"
import type { Row } from "../internal/cells.ts"
import * as Cell from "../internal/cells.ts"
import { selectList } from "../internal/Table.ts"
import { addressTable } from "../table/addressTable.ts"
import { operationTable } from "../table/operationTable.ts"
import { listed } from "./operations.ts"

/** What is looked for. */
interface Wanted {
  readonly texts: ReadonlyArray<string>
  readonly amounts: ReadonlyArray<Amount>
}

/** The operations of any tenant that have one of the texts or amounts: each way to find them goes along an index of every tenant. */
const operationsBy = (sql: SqlClient, { amounts, texts }: Wanted, limit: number) => {
  const all = arrayParameter(text, texts)
  const currencies = arrayParameter(
    text,
    amounts.map(({ currency }) => currency)
  )
  const units = arrayParameter(
    numeric,
    amounts.map((amount) => amount.units.toString())
  )
  const ids = arrayParameter(uuid, texts.filter(isUuid))
  return sql<Row>`select * from (
    select distinct on (t.tenant_id, t.operation_id) f.found_by, ${sql.literal(selectList(operationTable, "t"))}
    from (
      select x.tenant_id, o.operation_id, 0 as rank, 'id' as found_by from tenant x
        join operation o on o.tenant_id = x.tenant_id and o.operation_id = any(${ids})
      union all
      select x.tenant_id, o.operation_id, 1, 'transaction' from tenant x
        join operation o on o.tenant_id = x.tenant_id and o.tx_hash is not null and o.tx_hash = any(${all})
      union all
      select x.tenant_id, p.id::uuid, 1, 'transaction' from tenant x
        join transaction_attempt a on a.tenant_id = x.tenant_id and a.hash = any(${all})
        cross join json_array_elements_text(a.pays) as p(id)
      union all
      select x.tenant_id, o.operation_id, 2, 'provider_reference' from tenant x
        join operation o on o.tenant_id = x.tenant_id and o.provider_reference is not null and o.provider_reference = any(${all})
      union all
      select x.tenant_id, o.operation_id, 3, 'partner_reference' from tenant x
        join operation o on o.tenant_id = x.tenant_id and o.partner_reference is not null and o.partner_reference = any(${all})
      union all
      select x.tenant_id, i.resource_id::uuid, 4, 'idempotency_key' from tenant x
        join idempotency_record i on i.tenant_id = x.tenant_id and i.key = any(${all})
        and i.resource_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
      union all
      select p.tenant_id, p.operation_id, 5, 'destination' from unnest(${all}) as w(address)
        cross join lateral (select tenant_id, operation_id from payout where paid_to = w.address
          order by operation_id desc limit ${limit}) p
      union all
      select o.tenant_id, o.operation_id, 6, 'amount' from unnest(${currencies}, ${units}) as w(currency, units)
        cross join lateral (select tenant_id, operation_id from operation t where t.currency = w.currency and t.units = w.units
          order by t.created_at desc limit ${limit}) o
    ) f join operation t on t.tenant_id = f.tenant_id and t.operation_id = f.operation_id
    order by t.tenant_id, t.operation_id, f.rank
  ) t order by t.created_at desc, t.operation_id desc limit ${limit}`
}

/** What has exactly one of these texts as its id, hash, address or reference, or is of one of these amounts. */
export const search = (
  sql: SqlClient,
  wanted: Wanted,
  limit: number
): Effect.Effect<ReadonlyArray<SearchHit>, SqlError> =>
  Effect.gen(function* () {
    const operations = yield* Effect.flatMap(operationsBy(sql, wanted, limit), (rows) =>
      Effect.forEach(rows, (row) =>
        Effect.map(listed(row), (operation) => ({ by: Cell.oneOf(operationTexts, row["found_by"]), operation }))
      )
    )
    const addresses = yield* sql<Row>`select ${sql.literal(selectList(addressTable, "t"))} from tenant x
      join address t on t.tenant_id = x.tenant_id and t.address = any(${arrayParameter(text, wanted.texts)})
      order by t.created_at desc, t.address_id desc limit ${limit}`
    return [...operations, ...addresses.map((row) => ({ by: "address" as const, address: addressTable.read(row) }))]
  })
