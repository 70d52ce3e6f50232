import type { Migration } from "./Migration.ts"

/** Accounts that have to be made, and to agree to hold assets, before they can receive them (stellar). */
export const accountSetups: Migration = {
  id: 19,
  name: "account_setups",
  statements: (sql) => [
    sql`alter table spend add column agrees_to json not null default '[]'`,
    sql`alter table spend drop constraint spend_purpose_known`,
    sql`alter table spend add constraint spend_purpose_known
      check (purpose in ('PAYOUT', 'SWEEP', 'TOP_UP', 'CANCEL', 'CHANNEL', 'SETUP'))`,
    sql`alter table spend add constraint spend_agreement_pays_nothing
      check (json_array_length(agrees_to) = 0 or json_array_length(payments) = 0)`,
    sql`create table account_setup (
      tenant_id uuid not null,
      account_setup_key text not null,
      record_group text not null,
      network text not null,
      address text not null,
      role text not null,
      ready boolean not null,
      spend_id uuid,
      failures bigint not null,
      problem text,
      since timestamptz(3) not null,
      looked_at timestamptz(3) not null,
      constraint account_setup_pkey primary key (tenant_id, account_setup_key),
      constraint account_setup_spend_fkey foreign key (tenant_id, spend_id) references spend (tenant_id, spend_id),
      constraint account_setup_network_known check (network in ('tron', 'ethereum', 'bsc', 'base', 'bitcoin', 'stellar')),
      constraint account_setup_role_known check (role in ('PAYOUT', 'CHANNEL', 'ISSUING')),
      constraint account_setup_ready_has_no_problem check (not ready or problem is null)
    )`,
    sql`create index account_setup_group on account_setup (tenant_id, record_group)`,
    // what was there before is looked at once the service runs
    sql`insert into agenda (tenant_id, topic, key, due_at)
      select tenant_id, 'setup:stellar', 'accounts', now() from payout_wallet where network = 'stellar' and role = 'PAYOUT'
      on conflict do nothing`
  ]
}
