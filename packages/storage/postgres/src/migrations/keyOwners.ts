import { Array as Arr, Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { accountNameOf, keyNamesOf } from "./keyNames.ts"
import type { Migration } from "./Migration.ts"

/** What there is that needs a key, the strongest first, then what is in use, then the earliest. */
interface Found {
  readonly what: "WALLET" | "ACCOUNT" | "ADDRESS" | "XPUB"
  readonly tenant_id: string
  readonly id: string
  readonly network: string
  readonly text: string
  readonly holder: "WALLET" | "SERVICE" | "TENANT"
  readonly created_at: Date
}

const found = (sql: SqlClient) => sql<Found>`
  select * from (
    select 'WALLET' as what, tenant_id, wallet_id as id, network, address as text, 'WALLET' as holder, created_at,
      null::timestamptz as retired_at
      from payout_wallet
    union all
    select 'ACCOUNT', tenant_id, seed_id, family, account_key, 'SERVICE', created_at, null from issuing_account
    union all
    select 'ADDRESS', tenant_id, address_id, network, address,
      case when origin in ('ISSUED', 'IMPORTED') then 'SERVICE' else 'TENANT' end, created_at, retired_at
      from address where retired_at is null or origin in ('ISSUED', 'IMPORTED')
    union all
    select 'XPUB', tenant_id, xpub_id, network, canonical, 'TENANT', created_at, retired_at from xpub) f
  order by array_position(array['WALLET', 'SERVICE', 'TENANT'], holder), retired_at is not null, created_at, id`

const namesOf = ({ network, text, what }: Found): ReadonlyArray<string> =>
  what === "ACCOUNT" || what === "XPUB" ? [accountNameOf(text)] : keyNamesOf(network, text)

/** Rows that go into one statement. */
const rowsMax = 5_000

/** Gives every key that is in use to the first that needs it, and takes from the others what they would be paid on. */
const moveRows = (sql: SqlClient) =>
  Effect.gen(function* () {
    const owners = new Map<string, Found>()
    const uses: Array<Record<string, string>> = []
    const conflicts: Array<{ readonly loser: Found; readonly key: string; readonly owner: Found }> = []
    for (const one of yield* found(sql)) {
      const names = namesOf(one)
      const foreign = names.find((name) => (owners.get(name)?.tenant_id ?? one.tenant_id) !== one.tenant_id)
      const owner = foreign === undefined ? undefined : owners.get(foreign)
      if (foreign !== undefined && owner !== undefined) {
        conflicts.push({ loser: one, key: foreign, owner })
        continue
      }
      for (const name of names) {
        if (!owners.has(name)) owners.set(name, one)
        if (one.holder === "TENANT") uses.push({ key_name: name, used_by: one.id, tenant_id: one.tenant_id })
      }
    }
    const rows = [...owners].map(([key_name, { created_at, holder, id, tenant_id }]) => ({
      key_name,
      tenant_id,
      holder,
      held_by: id,
      claimed_at: created_at
    }))
    for (const some of Arr.chunksOf(rows, rowsMax)) yield* sql`insert into key_owner ${sql.insert(some)}`
    for (const some of Arr.chunksOf(uses, rowsMax))
      yield* sql`insert into key_use ${sql.insert(some)} on conflict do nothing`
    for (const { key, loser, owner } of conflicts) {
      yield* sql`insert into key_conflict ${sql.insert({
        key_name: key,
        what: loser.what,
        tenant_id: loser.tenant_id,
        id: loser.id,
        network: loser.network,
        text: loser.text,
        kept_by: owner.tenant_id
      })}`
      if (loser.what === "ADDRESS") {
        yield* sql`delete from address_directory where tenant_id = ${loser.tenant_id} and address_id = ${loser.id}`
        yield* sql`update address set retired_at = now(), watch_now_until = null
          where tenant_id = ${loser.tenant_id} and address_id = ${loser.id} and retired_at is null`
      }
      if (loser.what === "XPUB")
        yield* sql`update xpub set retired_at = now()
          where tenant_id = ${loser.tenant_id} and xpub_id = ${loser.id} and retired_at is null`
      yield* Effect.logWarning("key.conflict").pipe(
        Effect.annotateLogs({ what: loser.what, id: loser.id, tenant: loser.tenant_id, keptBy: owner.tenant_id })
      )
    }
  })

/**
 * Who a key belongs to among all tenants, whichever network and form its addresses have. Where two had one so far, it is kept by the
 * one whose key the service holds, else by the earliest that is in use; the other's address or extended public key is retired, so that nothing more
 * is credited there, and stands in `key_conflict` for operators.
 */
export const keyOwners: Migration = {
  id: 29,
  name: "key_owners",
  statements: (sql) => [
    sql`create table key_owner (
      key_name text not null,
      tenant_id uuid not null,
      holder text not null,
      held_by uuid not null,
      claimed_at timestamptz(3) not null,
      constraint key_owner_pkey primary key (key_name),
      constraint key_owner_holder_known check (holder in ('TENANT', 'SERVICE', 'WALLET'))
    )`,
    sql`create table key_use (
      tenant_id uuid not null,
      key_name text not null,
      used_by uuid not null,
      constraint key_use_pkey primary key (tenant_id, key_name, used_by)
    )`,
    // what an address needed is given free with it
    sql`create index key_use_by on key_use (tenant_id, used_by)`,
    sql`create table key_conflict (
      key_name text not null,
      what text not null,
      tenant_id uuid not null,
      id uuid not null,
      network text not null,
      text text not null,
      kept_by uuid not null,
      found_at timestamptz(3) not null default now(),
      constraint key_conflict_pkey primary key (tenant_id, id)
    )`,
    moveRows(sql),
    // what had not been confirmed when its key was imported belongs to the address as it is now
    sql`update deposit d set address_id = i.address_id
      from address o join address i on i.tenant_id = o.tenant_id and i.network = o.network and i.address = o.address
      where d.tenant_id = o.tenant_id and d.address_id = o.address_id and d.status in ('DETECTED', 'REORGED')
        and o.retired_at is not null and o.origin in ('REGISTERED', 'DERIVED') and i.origin = 'IMPORTED'`,
    // a retired address can be looked at again
    sql`alter table address drop constraint address_retired_not_watched`
  ]
}
