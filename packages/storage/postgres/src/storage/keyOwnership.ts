import type { KeyClaim } from "@bursar/core/engine/Directory"
import type { WriteSet } from "@bursar/core/engine/WriteSet"
import { arrayParameter, text, uuid } from "../internal/columnTypes.ts"

const statements = {
  // what an address needed is nobody's once nothing needs it, if its tenant held the key
  release: `with gone as (delete from key_use where tenant_id = $1 and used_by = any($2::uuid[]) returning key_name)
    delete from key_owner o using (select distinct key_name from gone) g
    where o.key_name = g.key_name and o.tenant_id = $1 and o.holder = 'TENANT'
      and not exists (select 1 from key_use u where u.tenant_id = $1 and u.key_name = o.key_name and u.used_by <> all($2::uuid[]))`,
  // ordered as addresses are; what the service has come to hold it keeps holding
  claim: `insert into key_owner (key_name, tenant_id, holder, held_by, claimed_at)
    select c.key_name, $1::uuid, c.holder, c.held_by, $5::timestamptz
    from unnest($2::text[], $3::text[], $4::uuid[]) as c(key_name, holder, held_by) order by c.key_name
    on conflict (key_name) do update set
      holder = case when key_owner.holder = 'TENANT' then excluded.holder else key_owner.holder end,
      held_by = case when key_owner.holder = 'TENANT' then excluded.held_by else key_owner.held_by end
    where key_owner.tenant_id = excluded.tenant_id returning 1`,
  use: `insert into key_use (tenant_id, key_name, used_by)
    select $1::uuid, u.key_name, u.used_by from unnest($2::text[], $3::uuid[]) as u(key_name, used_by)
    on conflict (tenant_id, key_name, used_by) do nothing`
}

/** One claim per key, the first with which the service comes to hold it where there is one. */
const ownersOf = (claims: ReadonlyArray<KeyClaim>): ReadonlyArray<KeyClaim> => {
  const owners = new Map<string, KeyClaim>()
  for (const claim of claims) {
    const before = owners.get(claim.key)
    if (before === undefined || (before.holder === "TENANT" && claim.holder !== "TENANT")) owners.set(claim.key, claim)
  }
  return [...owners.values()]
}

const texts = (all: ReadonlyArray<string>) => arrayParameter(text, all)
const ids = (all: ReadonlyArray<string>) => arrayParameter(uuid, all)

/** A statement with its parameters. */
type Sent = readonly [sql: string, parameters: ReadonlyArray<unknown>]

/**
 * What moves the ownership of keys, in this order: claims of addresses that end, claims that begin, with the number of rows that they
 * must touch (fewer where a key is another tenant's), and what needs the keys that tenants hold.
 */
export const keyOwnership = (
  tenant: unknown,
  at: unknown,
  { keyClaims, keysReleasedBy }: Pick<WriteSet, "keyClaims" | "keysReleasedBy">
): {
  readonly release: Sent | undefined
  readonly claim: readonly [sql: string, count: number, parameters: ReadonlyArray<unknown>]
  readonly use: Sent | undefined
} => {
  const owners = ownersOf(keyClaims)
  const uses = keyClaims.filter(({ holder }) => holder === "TENANT")
  return {
    release: keysReleasedBy.length === 0 ? undefined : [statements.release, [tenant, ids(keysReleasedBy)]],
    claim: [
      statements.claim,
      owners.length,
      [
        tenant,
        texts(owners.map(({ key }) => key)),
        texts(owners.map(({ holder }) => holder)),
        ids(owners.map(({ by }) => by)),
        at
      ]
    ],
    use:
      uses.length === 0
        ? undefined
        : [statements.use, [tenant, texts(uses.map(({ key }) => key)), ids(uses.map(({ by }) => by))]]
  }
}
