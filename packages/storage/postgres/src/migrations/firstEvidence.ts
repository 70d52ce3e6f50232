import type { Migration } from "./Migration.ts"

/**
 * The first evidence by a transaction tells whether there is other evidence by it, at keys of their own, and with which payout its cost was booked: until
 * now one that it has settled and that tells a cost.
 */
export const firstEvidence: Migration = {
  id: 86,
  name: "first_evidence",
  statements: (sql) => [
    sql`alter table payout_evidence add column is_shared boolean not null default false, add column cost_borne_by uuid`,
    sql`update payout_evidence f set is_shared = true
      where f.evidence_key = f.network || '|' || f.tx_hash
        and exists (select from payout_evidence o
          where (o.tenant_id, o.network, o.tx_hash) = (f.tenant_id, f.network, f.tx_hash)
            and starts_with(o.evidence_key, f.evidence_key || '|'))`,
    sql`update payout_evidence f set cost_borne_by = settled.operation_id
      from (
        select distinct on (e.tenant_id, e.network, e.tx_hash) e.tenant_id, e.network, e.tx_hash, e.operation_id
          from payout_evidence e join operation o on (o.tenant_id, o.operation_id) = (e.tenant_id, e.operation_id)
          where (o.network, o.tx_hash) = (e.network, e.tx_hash) and o.kind = 'CHAIN_PAYOUT' and o.status = 'SETTLED'
            and o.details->'proven_by'->>'network_fee' <> '0'
          order by e.tenant_id, e.network, e.tx_hash, e.operation_id
      ) settled
      where f.evidence_key = f.network || '|' || f.tx_hash
        and (settled.tenant_id, settled.network, settled.tx_hash) = (f.tenant_id, f.network, f.tx_hash)`
  ]
}
