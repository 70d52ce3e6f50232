import type { Migration } from "./Migration.ts"

/** A wallet's key is of a seed, or a custody holds it. */
export const keyCustody: Migration = {
  id: 39,
  name: "key_custody",
  statements: (sql) => [
    sql`alter table payout_wallet
      alter column seed_id drop not null,
      add column custody text,
      add column custody_key_id text,
      add constraint payout_wallet_one_key check (
        (seed_id is null) = (custody is not null) and (custody is null) = (custody_key_id is null)
      )`,
    sql`create unique index payout_wallet_custody_key on payout_wallet (tenant_id, custody, custody_key_id)`
  ]
}
