import { type Network, networks, siblings } from "@bursar/core/money/Network"
import type { Owned } from "@bursar/core/port/WatchState"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "../internal/cells.ts"
import * as Cell from "../internal/cells.ts"
import { arrayParameter, text } from "../internal/columnTypes.ts"

const read = (row: Row): Owned => ({
  tenantId: TenantId(Cell.text(row.tenant_id)),
  addressId: Cell.text(row.address_id),
  network: Cell.oneOf(networks, row.network),
  address: Cell.text(row.address),
  ...(row.wallet === true && { wallet: true })
})

const networksOf = (network: Network) => arrayParameter(text, siblings(network))

/**
 * Who owns each of some addresses: on the network itself, else on the sibling where it was registered first. The key
 * of the directory begins with the address, so this is one index lookup per address.
 */
export const ownersStatement = `select distinct on (d.address) d.tenant_id, d.address_id, d.network, d.address, d.wallet
  from address_directory d where d.address = any($1::text[]) and d.network = any($2::text[])
  order by d.address, d.network = $3 desc, d.claimed_at, d.address_id`

/** The owners among some addresses. */
export const owners = (
  sql: SqlClient,
  network: Network,
  addresses: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Owned>, SqlError> =>
  addresses.length === 0
    ? Effect.succeed([])
    : Effect.map(
        sql.unsafe<Row>(ownersStatement, [arrayParameter(text, addresses), networksOf(network), network]),
        (rows) => rows.map(read)
      )

/** Live addresses and wallets of a network and its siblings, found as owners are. */
export const watched = (
  sql: SqlClient,
  network: Network,
  limit: number
): Effect.Effect<ReadonlyArray<Owned>, SqlError> =>
  Effect.map(
    sql<Row>`select distinct on (d.address) d.tenant_id, d.address_id, d.network, d.address, d.wallet
      from address_directory d where d.network = any(${networksOf(network)})
      order by d.address, d.network = ${network} desc, d.claimed_at, d.address_id limit ${limit}`,
    (rows) => rows.map(read)
  )

/** The addresses of a network and its siblings that are to be read now, live ones last. */
export const watchedNow = (
  sql: SqlClient,
  network: Network,
  now: number
): Effect.Effect<ReadonlyArray<Owned>, SqlError> =>
  Effect.map(
    sql<Row>`select tenant_id, address_id, network, address from address
      where network = any(${networksOf(network)}) and watch_now_until >= ${new Date(now)}
      order by retired_at nulls last, created_at, address_id`,
    (rows) => rows.map(read)
  )
