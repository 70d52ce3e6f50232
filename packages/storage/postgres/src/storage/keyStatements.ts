import { selectList } from "../internal/Table.ts"
import { addressTable } from "../table/addressTable.ts"
import { depositTable } from "../table/depositTable.ts"
import { issuingAccountTable } from "../table/issuingAccountTable.ts"
import { xpubTable } from "../table/xpubTable.ts"

/** What loads the keys that addresses come from, and the newest arrival on an address. `$1` is the tenant. */
export const keyStatements = {
  keyOwners: `select o.key_name, o.tenant_id as owner, o.holder, ${selectList(addressTable, "t")}
    from key_owner o
    left join lateral (
      select * from address a where a.tenant_id = $1 and o.tenant_id = $1 and o.holder = 'SERVICE' and a.address_id = o.held_by
      limit 1) t on true
    where o.key_name = any($2)`,
  ownRecords: `select ${selectList(addressTable, "t")} from address t where t.tenant_id = $1 and t.address = any($2)
    order by t.created_at, t.address_id`,
  // along the index of a reference's deposits: see newestDeposits
  depositsAt: `select ${selectList(depositTable, "t")} from address a
    join deposit t on t.tenant_id = a.tenant_id and t.reference = a.reference and t.address_id = a.address_id
    where a.tenant_id = $1 and a.address = any($2)`,
  xpubs: `select ${selectList(xpubTable, "t")} from xpub t where t.tenant_id = $1 and t.xpub_id = any($2)`,
  liveXpubs: `select ${selectList(xpubTable, "t")} from xpub t
    where t.tenant_id = $1 and t.network = any($2) and t.retired_at is null`,
  xpubUses: `select w.network, w.canonical, u.next_index from unnest($2::text[], $3::text[]) as w(network, canonical)
    cross join lateral (
      select x.next_index from xpub x where x.tenant_id = $1 and x.network = w.network and x.canonical = w.canonical
      order by x.next_index desc limit 1) u`,
  issuingAccounts: `select ${selectList(issuingAccountTable, "t")} from issuing_account t
    where t.tenant_id = $1 and t.family = any($2)`,
  // along the index of a reference's deposits, backwards: no index of its own that every deposit would pay for
  newestDeposits: `select w.address_id, d.change_seq from unnest($2::uuid[]) as w(address_id)
    cross join lateral (
      select * from address a where a.tenant_id = $1 and a.address_id = w.address_id limit 1) t
    cross join lateral (
      select n.change_seq from deposit n
      where n.tenant_id = $1 and n.reference = t.reference and n.address_id = t.address_id
      order by n.change_seq desc limit 1) d`
}
