import type { Migration } from "./Migration.ts"

/** API keys may expire, and carry a seal over what they may do. Those that are there have none until an operator seals them. */
export const sealedKeys: Migration = {
  id: 36,
  name: "sealed_keys",
  statements: (sql) => [
    sql`alter table api_key add column expires_at timestamptz, add column seal text,
      add constraint api_key_seal_form check (seal ~ '^[0-9a-f]{64}$'),
      add constraint api_key_revoked_unsealed check (revoked_at is null or seal is null)`
  ]
}
