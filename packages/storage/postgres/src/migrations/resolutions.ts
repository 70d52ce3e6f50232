import type { Migration } from "./Migration.ts"

/**
 * What operators say became of orders that no provider answers for, with notes on operations of every kind, and the indexes by which
 * operators find what is unresolved and the events of an operation.
 */
export const resolutions: Migration = {
  id: 31,
  name: "resolutions",
  statements: (sql) => [
    sql`create table resolution (
      tenant_id uuid not null,
      resolution_id uuid not null,
      record_group text not null,
      operation_id uuid not null,
      outcome text not null,
      basis text not null,
      reference text not null,
      source text not null,
      statement text not null,
      provider_reference text,
      tx_hash text,
      received_currency text,
      received_units numeric,
      network_fee_currency text,
      network_fee_units numeric,
      network_fee_borne_by text,
      state text not null,
      proposed_by text not null,
      decided_by text,
      rejected_reason text,
      created_at timestamptz(3) not null,
      decided_at timestamptz(3),
      constraint resolution_pkey primary key (tenant_id, resolution_id),
      constraint resolution_operation_fkey foreign key (tenant_id, operation_id)
        references operation (tenant_id, operation_id),
      constraint resolution_outcome_known check (outcome in ('SETTLED', 'FAILED', 'RETURNED')),
      constraint resolution_basis_known check (basis in ('CHAIN', 'PROVIDER')),
      constraint resolution_state_known check (state in ('PROPOSED', 'APPLIED', 'REJECTED')),
      constraint resolution_bearer_known check (network_fee_borne_by in ('RECEIVER', 'SERVICE')),
      constraint resolution_received_whole check ((received_currency is null) = (received_units is null)
        and (received_units is null or (received_units > 0 and scale(received_units) = 0))),
      constraint resolution_network_fee_whole check ((network_fee_currency is null) = (network_fee_units is null)
        and (network_fee_currency is null) = (network_fee_borne_by is null)
        and (network_fee_units is null or (network_fee_units >= 0 and scale(network_fee_units) = 0))),
      constraint resolution_decided check ((state = 'PROPOSED') = (decided_by is null)),
      constraint resolution_four_eyes check (state <> 'APPLIED' or lower(decided_by) <> lower(proposed_by))
    )`,
    sql`create index resolution_group on resolution (tenant_id, record_group)`,
    // one at a time is decided
    sql`create unique index resolution_open on resolution (tenant_id, operation_id) where state = 'PROPOSED'`,
    sql`alter table payout_evidence drop constraint payout_evidence_payout_fkey`,
    sql`alter table payout_evidence alter column network drop not null`,
    sql`alter table payout_evidence add constraint payout_evidence_operation_fkey foreign key (tenant_id, operation_id)
      references operation (tenant_id, operation_id)`,
    // what is unresolved may be settled, and is not in the index of what is not
    sql`create index operation_unresolved on operation (tenant_id, created_at, operation_id) where unresolved`,
    sql`create index event_resource on event (tenant_id, resource_id)`
  ]
}
