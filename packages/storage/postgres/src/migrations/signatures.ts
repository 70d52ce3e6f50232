import type { Migration } from "./Migration.ts"

/** The public keys with which requests are signed, each bound to an API key, and the nonces that they have used. */
export const signatures: Migration = {
  id: 12,
  name: "signatures",
  statements: (sql) => [
    sql`create table signing_key (
      tenant_id uuid not null,
      api_key_id text not null,
      keyid text not null,
      public_key text not null,
      created_at timestamptz(3) not null,
      revoked_at timestamptz(3),
      constraint signing_key_pkey primary key (tenant_id, api_key_id, keyid),
      constraint signing_key_api_key_fkey foreign key (tenant_id, api_key_id) references api_key (tenant_id, key_id)
    )`,
    sql`create table signature_nonce (
      tenant_id uuid not null,
      keyid text not null,
      nonce text not null,
      idempotency_key text not null,
      content_digest text not null,
      used_at timestamptz(3) not null,
      forget_at timestamptz(3) not null,
      constraint signature_nonce_pkey primary key (tenant_id, keyid, nonce)
    )`,
    sql`create index signature_nonce_forget on signature_nonce (tenant_id, forget_at)`
  ]
}
