import type { SqlClient } from "effect/sql/SqlClient"
import type { Migration } from "./Migration.ts"

const tables = [
  ["spend", "outbound_transaction"],
  ["sent_transaction", "transaction_attempt"],
  ["wallet_coin", "wallet_utxo"],
  ["wallet_arrival", "wallet_transfer"],
  ["account_setup", "account_provisioning"],
  ["intake", "sweepable_deposit"],
  ["agenda", "job"],
  ["claim", "idempotency_record"]
] as const

/** Columns, by the new names of their tables. */
const columns = [
  ["outbound_transaction", "spend_id", "transaction_id"],
  ["outbound_transaction", "token_account", "guard_account"],
  ["outbound_transaction", "token_number", "guard_sequence"],
  ["outbound_transaction", "token_coins", "guard_utxos"],
  ["outbound_transaction", "agrees_to", "trustlines"],
  ["transaction_attempt", "spend_id", "transaction_id"],
  ["transaction_attempt", "transaction_key", "attempt_key"],
  ["wallet_utxo", "coin_key", "utxo_key"],
  ["wallet_utxo", "spend_id", "transaction_id"],
  ["wallet_transfer", "arrival_key", "transfer_key"],
  ["account_provisioning", "account_setup_key", "account_provisioning_key"],
  ["account_provisioning", "spend_id", "transaction_id"],
  ["account_provisioning", "looked_at", "checked_at"],
  ["sweepable_deposit", "intake_key", "sweepable_deposit_key"],
  ["intake_cost", "coin", "native_asset"],
  ["job", "topic", "queue"],
  ["idempotency_record", "claimed_at", "recorded_at"],
  ["payout", "spend_id", "transaction_id"],
  ["payout", "earlier_spends", "earlier_transactions"],
  ["payout_evidence", "looked_at", "checked_at"],
  ["payout_wallet", "open_spends", "open_transactions"],
  ["sweep", "top_up_spend_id", "top_up_transaction_id"],
  ["sweep", "sweep_spend_id", "sweep_transaction_id"],
  ["sweep_account", "spend_id", "transaction_id"]
] as const

const indexes = [
  ["spend_number", "outbound_transaction_sequence"],
  ["sent_transaction_group", "transaction_attempt_group"],
  ["sent_transaction_replaces", "transaction_attempt_replaces"],
  ["wallet_coin_group", "wallet_utxo_group"],
  ["wallet_arrival_detected", "wallet_transfer_detected"],
  ["wallet_arrival_standing", "wallet_transfer_standing"],
  ["account_setup_group", "account_provisioning_group"],
  ["intake_group", "sweepable_deposit_group"],
  ["agenda_due", "job_due"],
  ["agenda_key", "job_key"]
] as const

/** Constraints by the new names of their tables; primary keys and what every table of its kind has are renamed by prefix. */
const constraints = [
  ["outbound_transaction", "spend_agreement_pays_nothing", "outbound_transaction_trustlines_pay_nothing"],
  ["outbound_transaction", "spend_token_one", "outbound_transaction_guard_one"],
  ["payout", "payout_in_a_spend_unless_held", "payout_in_a_transaction_unless_held"],
  ["payout_wallet", "payout_wallet_open_spends_count", "payout_wallet_open_transactions_count"],
  ["sweep", "sweep_spend_fkey", "sweep_transaction_fkey"],
  ["transaction_attempt", "sent_transaction_spend_fkey", "transaction_attempt_transaction_fkey"],
  ["account_provisioning", "account_setup_spend_fkey", "account_provisioning_transaction_fkey"],
  ["wallet_utxo", "wallet_coin_free_is_in_no_spend", "wallet_utxo_free_is_in_no_transaction"],
  ["wallet_utxo", "wallet_coin_taken_by_a_spend", "wallet_utxo_taken_by_a_transaction"]
] as const

/** PostgreSQL 18 names what is NOT NULL, earlier ones do not: so what a table's constraints begin with is looked up. */
const renamePrefix = (sql: SqlClient, before: string, after: string) =>
  sql`${sql.literal(`do $$
    declare found record;
    begin
      for found in select conname from pg_constraint
        where conrelid = '${after}'::regclass and conname like '${before.replaceAll("_", "\\_")}\\_%'
      loop
        execute format('alter table ${after} rename constraint %I to %I', found.conname,
          '${after}' || substr(found.conname, ${before.length + 1}));
      end loop;
    end $$`)}`

/** What is sent, stored and awaited is named as the field names it. No row changes its meaning. */
export const fieldTerms: Migration = {
  id: 34,
  name: "field_terms",
  statements: (sql) => [
    ...tables.map(([before, after]) => sql`alter table ${sql(before)} rename to ${sql(after)}`),
    ...columns.map(
      ([table, before, after]) => sql`alter table ${sql(table)} rename column ${sql(before)} to ${sql(after)}`
    ),
    ...indexes.map(([before, after]) => sql`alter index ${sql(before)} rename to ${sql(after)}`),
    ...constraints.map(
      ([table, before, after]) => sql`alter table ${sql(table)} rename constraint ${sql(before)} to ${sql(after)}`
    ),
    ...tables.map(([before, after]) => renamePrefix(sql, before, after)),
    sql`update job set queue = case split_part(queue, ':', 1)
        when 'send' then 'payout:' when 'spend' then 'transaction:' else 'provisioning:' end || split_part(queue, ':', 2)
      where split_part(queue, ':', 1) in ('send', 'spend', 'setup')`,
    sql`alter table outbound_transaction drop constraint outbound_transaction_purpose_known`,
    sql`update outbound_transaction set purpose = 'PROVISIONING' where purpose = 'SETUP'`,
    sql`alter table outbound_transaction add constraint outbound_transaction_purpose_known
      check (purpose in ('PAYOUT', 'SWEEP', 'TOP_UP', 'CANCEL', 'CHANNEL', 'PROVISIONING'))`,
    sql`alter table sweep drop constraint sweep_state_known`,
    sql`alter table sweep drop constraint sweep_ended_when_over`,
    sql`update sweep set state = 'ABANDONED' where state = 'GIVEN_UP'`,
    sql`alter table sweep add constraint sweep_state_known
      check (state in ('ELIGIBLE', 'TOPUP_SIGNED', 'TOPUP_CONFIRMED', 'SWEEP_SIGNED', 'SWEPT', 'ABANDONED'))`,
    sql`alter table sweep add constraint sweep_ended_when_over
      check ((state in ('SWEPT', 'ABANDONED')) = (ended_at is not null))`
  ]
}
