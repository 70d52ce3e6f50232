import type { Migration } from "./Migration.ts"

/** Customers, their accounts and what arrived there; what finds the entries of an account and transfers by their reference. */
export const fiat: Migration = {
  id: 17,
  name: "fiat",
  statements: (sql) => [
    sql`create table customer (
      tenant_id uuid not null,
      customer_id uuid not null,
      record_group text,
      external_id text not null,
      is_business boolean not null,
      display_name text,
      country text,
      verification json,
      registration json,
      created_at timestamptz(3) not null,
      constraint customer_pkey primary key (tenant_id, customer_id)
    )`,
    sql`create unique index customer_external_id on customer (tenant_id, external_id)`,
    sql`create table customer_name (
      tenant_id uuid not null,
      external_id text not null,
      record_group text,
      customer_id uuid not null,
      constraint customer_name_pkey primary key (tenant_id, external_id)
    )`,
    sql`create table fiat_account (
      tenant_id uuid not null,
      account_id uuid not null,
      record_group text not null,
      customer_id uuid not null,
      currency text not null,
      country text,
      status text not null,
      provider text not null,
      provider_customer_id text,
      provider_account_id text,
      details json not null,
      last_incoming text,
      created_at timestamptz(3) not null,
      changed_at timestamptz(3) not null,
      constraint fiat_account_pkey primary key (tenant_id, account_id)
    )`,
    sql`create index fiat_account_customer on fiat_account (tenant_id, record_group)`,
    sql`create table account_number (
      tenant_id uuid not null,
      number text not null,
      record_group text,
      account_ids json not null,
      constraint account_number_pkey primary key (tenant_id, number)
    )`,
    sql`create table booked_incoming (
      tenant_id uuid not null,
      payment_key text not null,
      record_group text,
      operation_id uuid not null,
      constraint booked_incoming_pkey primary key (tenant_id, payment_key)
    )`,
    sql`create unique index booked_incoming_operation on booked_incoming (tenant_id, operation_id)`,
    sql`create index operation_partner_reference on operation (tenant_id, partner_reference)
      where partner_reference is not null`,
    // the list of transfers names just these kinds
    sql`create index operation_transfer on operation (tenant_id, created_at, operation_id)
      where kind in ('ON_RAMP', 'OFF_RAMP', 'BANK_TRANSFER', 'REFUND', 'INTERNAL_TRANSFER')`,
    // hints of providers find an item by how its key begins: the order of bytes
    sql`create index agenda_key on agenda (topic, key collate "C")`
  ]
}
