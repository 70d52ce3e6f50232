import type { Migration } from "./Migration.ts"

/** Months whose statements are fixed: a row is written once and never changed, and no two of a tenant share a posting. */
export const closedPeriods: Migration = {
  id: 43,
  name: "closed_periods",
  statements: (sql) => [
    sql`create table closed_period (
      tenant_id uuid not null,
      period text not null,
      record_group text not null,
      after_posting bigint not null,
      through_posting bigint not null,
      statement_version integer not null,
      csv_sha256 text not null,
      pdf_sha256 text not null,
      closed_at timestamptz(3) not null,
      closed_by text not null,
      constraint closed_period_pkey primary key (tenant_id, period),
      constraint closed_period_month check (period ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
      constraint closed_period_over check (closed_at >= ((period || '-01')::date + interval '1 month') at time zone 'UTC'),
      constraint closed_period_postings check (after_posting >= 0 and through_posting >= after_posting),
      constraint closed_period_hashes_hex check (csv_sha256 ~ '^[0-9a-f]{64}$' and pdf_sha256 ~ '^[0-9a-f]{64}$')
    )`,
    sql`create function closed_period_is_only_added_to() returns trigger language plpgsql as $$
    begin
      raise exception 'closed_period is only added to' using errcode = 'restrict_violation';
    end $$`,
    sql`create trigger closed_period_kept before update or delete or truncate on closed_period
      for each statement execute function closed_period_is_only_added_to()`
  ]
}
