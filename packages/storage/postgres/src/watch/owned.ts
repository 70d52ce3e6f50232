import type { KeyFamily, Network } from "@bursar/core/money/Network"
import type { Owned } from "@bursar/core/store/WatchState"
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
  network: Cell.text(row.network),
  address: Cell.text(row.address),
  ...(row.wallet === true && { wallet: true })
})

/**
 * Who owns each of some addresses: on the network itself, else on the sibling where it was registered first. The key
 * of the directory begins with the address, so this is one index lookup per address.
 */
export const ownersStatement = `select distinct on (d.address) d.tenant_id, d.address_id, d.network, d.address, d.wallet
  from address_directory d where d.address = any($1::text[]) and d.network = any($2::text[])
  order by d.address, d.network = $3 desc, d.claimed_at, d.address_id`

/** The owners among some addresses on a network and, behind it, its siblings. */
export const owners = (
  sql: SqlClient,
  networks: ReadonlyArray<Network>,
  addresses: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Owned>, SqlError> =>
  addresses.length === 0
    ? Effect.succeed([])
    : Effect.map(
        sql.unsafe<Row>(ownersStatement, [
          arrayParameter(text, addresses),
          arrayParameter(text, networks),
          networks[0]
        ]),
        (rows) => rows.map(read)
      )

/** Live addresses and wallets of a network and its siblings, found as owners are. */
export const watched = (
  sql: SqlClient,
  networks: ReadonlyArray<Network>,
  limit: number
): Effect.Effect<ReadonlyArray<Owned>, SqlError> =>
  Effect.map(
    sql<Row>`select distinct on (d.address) d.tenant_id, d.address_id, d.network, d.address, d.wallet
      from address_directory d where d.network = any(${arrayParameter(text, networks)})
      order by d.address, d.network = ${networks[0] ?? ""} desc, d.claimed_at, d.address_id limit ${limit}`,
    (rows) => rows.map(read)
  )

/** What has to be proven for the address of a row (`subjectOf` in core), where the tenant holds its key. */
const subjectOf = (row: string) =>
  `case when ${row}.origin = 'DERIVED' and ${row}.xpub_id is not null then 'xpub|' || ${row}.xpub_id else $3 || '|' || ${row}.address end`

/**
 * The addresses of a network and its siblings that are to be read now, live ones last. A retired one is none any more once its key is
 * another tenant's: the service holds it for that tenant, or the tenant has proven it later than this one did, if it ever did. Others'
 * records of an address are looked up by tenant: few addresses are read now, and that index there is.
 */
const watchedNowStatement = `select a.tenant_id, a.address_id, a.network, a.address from address a
  left join address_proof own on own.tenant_id = a.tenant_id and own.subject = ${subjectOf("a")}
  where a.network = any($1::text[]) and a.watch_now_until >= $2 and (a.retired_at is null or not exists (
    select from tenant t join address o on o.tenant_id = t.tenant_id and o.address = a.address and o.network = any($1::text[])
      left join address_proof p on p.tenant_id = o.tenant_id and p.subject = ${subjectOf("o")}
    where t.tenant_id <> a.tenant_id
      and (o.origin in ('ISSUED', 'IMPORTED') or p.proven_at > coalesce(own.proven_at, '-infinity'))))
  order by a.retired_at nulls last, a.created_at, a.address_id`

/** The addresses of the networks of a family that are to be read now, live ones last. */
export const watchedNow = (
  sql: SqlClient,
  family: KeyFamily,
  networks: ReadonlyArray<Network>,
  now: number
): Effect.Effect<ReadonlyArray<Owned>, SqlError> =>
  Effect.map(sql.unsafe<Row>(watchedNowStatement, [arrayParameter(text, networks), new Date(now), family]), (rows) =>
    rows.map(read)
  )
