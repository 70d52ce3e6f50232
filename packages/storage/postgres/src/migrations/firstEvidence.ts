import type { Migration } from "./Migration.ts"

/** The first evidence by a transaction tells whether there is other evidence by it, at keys of their own. */
export const firstEvidence: Migration = {
  id: 86,
  name: "first_evidence",
  statements: (sql) => [
    sql`alter table payout_evidence add column is_shared boolean not null default false`,
    sql`update payout_evidence f set is_shared = true
      where f.evidence_key = f.network || '|' || f.tx_hash
        and exists (select from payout_evidence o where o.tenant_id = f.tenant_id
          and starts_with(o.evidence_key, f.evidence_key || '|'))`
  ]
}
