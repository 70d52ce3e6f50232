import type { Migration } from "./Migration.ts"

/**
 * Grants: chains of documents that people have approved, one for each tenant and one for the service itself, which stands under a tenant that
 * is none. They are added to and never changed; proposals are decided once.
 */
export const grants: Migration = {
  id: 37,
  name: "grants",
  statements: (sql) => [
    sql`insert into tenant (tenant_id, slug, name, kind, status, policy, created_at)
      values ('00000000-0000-0000-0000-000000000000', '~fleet', 'The service itself', 'LIVE', 'CLOSED', '{}', to_timestamp(0))`,
    sql`insert into tenant_head (tenant_id, change_seq, event_id, posting_seq, last_at)
      values ('00000000-0000-0000-0000-000000000000', 0, 0, 0, to_timestamp(0))`,
    sql`create table grant_proposal (
      tenant_id uuid not null,
      proposal_id uuid not null,
      record_group text,
      number bigint not null,
      hash text not null,
      document text not null,
      approvals json not null,
      state text not null,
      proposed_by text not null,
      proposed_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      decided_by text,
      decided_at timestamptz(3),
      reason text,
      constraint grant_proposal_pkey primary key (tenant_id, proposal_id),
      constraint grant_proposal_state_known check (state in ('OPEN', 'GRANTED', 'REJECTED')),
      constraint grant_proposal_number_from_one check (number > 0),
      constraint grant_proposal_hash_hex check (hash ~ '^[0-9a-f]{64}$'),
      constraint grant_proposal_small check (octet_length(document) <= 16384),
      constraint grant_proposal_decided check ((state = 'OPEN') = (decided_by is null) and (state = 'OPEN') = (decided_at is null)),
      constraint grant_proposal_reason check ((state = 'REJECTED') = (reason is not null))
    )`,
    sql`create index grant_proposal_group on grant_proposal (tenant_id, record_group) where record_group is not null`,
    sql`create index grant_proposal_newest on grant_proposal (tenant_id, proposed_at desc, proposal_id desc)`,
    sql`create table grant_entry (
      tenant_id uuid not null,
      number bigint not null,
      hash text not null,
      document text not null,
      approvals json not null,
      recorded_at timestamptz(3) not null,
      proposal_id uuid,
      constraint grant_entry_pkey primary key (tenant_id, number),
      constraint grant_entry_tenant_fkey foreign key (tenant_id) references tenant (tenant_id),
      constraint grant_entry_proposal_fkey foreign key (tenant_id, proposal_id)
        references grant_proposal (tenant_id, proposal_id),
      constraint grant_entry_number_from_one check (number > 0),
      constraint grant_entry_hash_hex check (hash ~ '^[0-9a-f]{64}$'),
      constraint grant_entry_small check (octet_length(document) <= 16384)
    )`,
    sql`create function grant_entry_is_only_added_to() returns trigger language plpgsql as $$
    begin
      raise exception 'grant_entry is only added to' using errcode = 'restrict_violation';
    end $$`,
    sql`create trigger grant_entry_kept before update or delete or truncate on grant_entry
      for each statement execute function grant_entry_is_only_added_to()`
  ]
}
