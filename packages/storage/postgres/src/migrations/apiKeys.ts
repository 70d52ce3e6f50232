import type { Migration } from "./Migration.ts"

/** API keys, and the directory that tells whose a key is before its tenant is known. */
export const apiKeys: Migration = {
  id: 2,
  name: "api_keys",
  statements: (sql) => [
    sql`create table api_key (
      tenant_id uuid not null,
      key_id text not null,
      label text not null,
      prefix text not null,
      hash text not null,
      scopes json not null,
      created_at timestamptz(3) not null,
      revoked_at timestamptz(3),
      constraint api_key_pkey primary key (tenant_id, key_id),
      constraint api_key_tenant_fkey foreign key (tenant_id) references tenant (tenant_id)
    )`,
    sql`create table api_key_directory (
      key_id text not null,
      tenant_id uuid not null,
      constraint api_key_directory_pkey primary key (key_id)
    )`
  ]
}
