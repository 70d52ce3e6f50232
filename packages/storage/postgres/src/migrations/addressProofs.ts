import type { Migration } from "./Migration.ts"

/** What tenants have proven to have the keys of, and the confirmed deposits that wait for it. */
export const addressProofs: Migration = {
  id: 33,
  name: "address_proofs",
  statements: (sql) => [
    sql`create table address_proof (
      tenant_id uuid not null,
      subject text not null,
      record_group text,
      network text not null,
      address text not null,
      message text not null,
      signature text not null,
      proven_at timestamptz(3) not null,
      constraint address_proof_pkey primary key (tenant_id, subject)
    )`,
    sql`create index address_proof_group on address_proof (tenant_id, record_group) where record_group is not null`,
    sql`create table unproven_deposit (
      tenant_id uuid not null,
      deposit_id uuid not null,
      record_group text,
      subject text not null,
      address_id uuid not null,
      address text not null,
      network text not null,
      tx_hash text not null,
      transfer_index bigint not null,
      currency text not null,
      from_address text,
      waits boolean not null,
      constraint unproven_deposit_pkey primary key (tenant_id, deposit_id),
      constraint unproven_deposit_fkey foreign key (tenant_id, deposit_id) references deposit (tenant_id, deposit_id)
    )`,
    sql`create index unproven_deposit_group on unproven_deposit (tenant_id, record_group) where record_group is not null`
  ]
}
