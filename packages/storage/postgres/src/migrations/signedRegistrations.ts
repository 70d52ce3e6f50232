import type { Migration } from "./Migration.ts"

/** The signed requests by which partners have registered addresses and extended public keys, kept whole so that they can be verified again. */
export const signedRegistrations: Migration = {
  id: 55,
  name: "signed_registrations",
  statements: (sql) => [
    sql`create table signed_registration (
      tenant_id uuid not null,
      registration_id uuid not null,
      keyid text not null,
      signature_base text not null,
      signature text not null,
      body text not null,
      recorded_at timestamptz(3) not null,
      constraint signed_registration_pkey primary key (tenant_id, registration_id)
    )`,
    sql`alter table address add column registration_id uuid`
  ]
}
