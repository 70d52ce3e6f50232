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
        and exists (select from payout_evidence o where o.tenant_id = f.tenant_id
          and starts_with(o.evidence_key, f.evidence_key || '|'))`,
    sql`update payout_evidence f set cost_borne_by = settled.operation_id
      from (
        select distinct on (tenant_id, network, tx_hash) tenant_id, network, tx_hash, operation_id from operation
          where kind = 'CHAIN_PAYOUT' and status = 'SETTLED' and details->'proven_by'->>'network_fee' <> '0'
          order by tenant_id, network, tx_hash, operation_id
      ) settled
      where f.evidence_key = f.network || '|' || f.tx_hash
        and (settled.tenant_id, settled.network, settled.tx_hash) = (f.tenant_id, f.network, f.tx_hash)`
  ]
}
