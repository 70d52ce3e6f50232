import type { Migration } from "./Migration.ts"

/**
 * What operators did, as a chain of hashes that is only ever added to; the adjustments that they propose; what they ask of a
 * payout that does not come further, and what they know of it.
 */
export const operators: Migration = {
  id: 18,
  name: "operators",
  statements: (sql) => [
    sql`create table operator_audit (
      id bigint not null,
      action_id uuid not null,
      at timestamptz(3) not null,
      operator text not null,
      role text not null,
      method text not null,
      route text not null,
      params json not null,
      status integer,
      request_id text not null,
      address text not null,
      previous_hash text not null,
      hash text not null,
      constraint operator_audit_pkey primary key (id),
      constraint operator_audit_from_one check (id > 0),
      constraint operator_audit_hashes_hex check (previous_hash ~ '^[0-9a-f]{64}$' and hash ~ '^[0-9a-f]{64}$')
    )`,
    // a link is followed by one other
    sql`create unique index operator_audit_previous on operator_audit (previous_hash)`,
    sql`create index operator_audit_operator on operator_audit (operator, id)`,
    sql`create function operator_audit_is_only_added_to() returns trigger language plpgsql as $$
    begin
      raise exception 'operator_audit is only added to' using errcode = 'restrict_violation';
    end $$`,
    sql`create trigger operator_audit_kept before update or delete or truncate on operator_audit
      for each statement execute function operator_audit_is_only_added_to()`,
    sql`create table float_adjustment (
      tenant_id uuid not null,
      adjustment_id uuid not null,
      record_group text,
      currency text not null,
      units numeric not null,
      against text not null,
      reason text not null,
      proposed_by text not null,
      state text not null,
      decided_by text,
      rejected_reason text,
      operation_id uuid,
      created_at timestamptz(3) not null,
      decided_at timestamptz(3),
      constraint float_adjustment_pkey primary key (tenant_id, adjustment_id),
      constraint float_adjustment_operation_fkey foreign key (tenant_id, operation_id)
        references operation (tenant_id, operation_id),
      constraint float_adjustment_state_known check (state in ('PROPOSED', 'BOOKED', 'REJECTED')),
      constraint float_adjustment_units_whole check (units <> 0 and scale(units) = 0),
      constraint float_adjustment_decided check ((state = 'PROPOSED') = (decided_by is null)),
      constraint float_adjustment_booked check ((state = 'BOOKED') = (operation_id is not null)),
      constraint float_adjustment_four_eyes check (state <> 'BOOKED' or lower(decided_by) <> lower(proposed_by))
    )`,
    sql`create index float_adjustment_group on float_adjustment (tenant_id, record_group) where record_group is not null`,
    sql`create table payout_evidence (
      tenant_id uuid not null,
      evidence_key text not null,
      record_group text not null,
      operation_id uuid not null,
      network text not null,
      tx_hash text,
      note text not null,
      given_by text not null,
      given_at timestamptz(3) not null,
      verdict text,
      found text,
      looked_at timestamptz(3),
      constraint payout_evidence_pkey primary key (tenant_id, evidence_key),
      constraint payout_evidence_payout_fkey foreign key (tenant_id, operation_id)
        references payout (tenant_id, operation_id),
      constraint payout_evidence_verdict_known check (verdict in ('PROVEN', 'NOT_PROVEN', 'UNREADABLE')),
      constraint payout_evidence_looked_up check (verdict is null or (tx_hash is not null and looked_at is not null))
    )`,
    sql`create index payout_evidence_group on payout_evidence (tenant_id, record_group)`,
    // one transaction says something of one payout
    sql`create unique index payout_evidence_hash on payout_evidence (tenant_id, network, tx_hash) where tx_hash is not null`,
    sql`alter table spend add column asked text,
      add constraint spend_asked_known check (asked in ('REBROADCAST', 'BUMP'))`
  ]
}
