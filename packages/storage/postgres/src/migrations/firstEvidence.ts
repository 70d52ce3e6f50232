import type { Migration } from "./Migration.ts"

/**
 * The first evidence by a transaction tells how much other evidence by it, at keys of their own, the chain has not denied, and with which payout its cost was booked: until
 * now one that it has settled and that tells a cost.
 */
export const firstEvidence: Migration = {
  id: 86,
  name: "first_evidence",
  statements: (sql) => [
    sql`alter table payout_evidence add column shared_count integer default 0, add column cost_borne_by uuid`,
    sql`update payout_evidence f set shared_count = others.count
      from (
        select tenant_id, network, tx_hash, count(*)::integer as count from payout_evidence
          where starts_with(evidence_key, network || '|' || tx_hash || '|') and verdict is distinct from 'NOT_PROVEN'
          group by tenant_id, network, tx_hash
      ) others
      where f.evidence_key = f.network || '|' || f.tx_hash
        and (others.tenant_id, others.network, others.tx_hash) = (f.tenant_id, f.network, f.tx_hash)`,
    // beside one for a payout with a memo none may stand
    sql`update payout_evidence f set shared_count = null
      from payout p
      where (p.tenant_id, p.operation_id) = (f.tenant_id, f.operation_id) and json_typeof(p.memo) <> 'null'
        and f.evidence_key = f.network || '|' || f.tx_hash
        and f.verdict is distinct from 'NOT_PROVEN' and f.shared_count = 0`,
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
