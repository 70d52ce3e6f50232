import type { Migration } from "./Migration.ts"

/** Statements of providers, their lines, and breaks that are about one of them. */
export const statements: Migration = {
  id: 53,
  name: "statements",
  statements: (sql) => [
    sql`create table statement (
      tenant_id uuid not null,
      statement_key text not null,
      record_group text not null,
      statement_id text not null,
      currencies json not null,
      from_at timestamptz(3) not null,
      to_at timestamptz(3) not null,
      parts integer not null,
      digest text not null,
      received json not null,
      checked_to timestamptz(3) not null,
      imported_by text not null,
      imported_at timestamptz(3) not null,
      constraint statement_pkey primary key (tenant_id, statement_key),
      constraint statement_period check (from_at <= to_at and parts >= 1)
    )`,
    sql`create index statement_group on statement (tenant_id, record_group)`,
    sql`create table statement_line (
      tenant_id uuid not null,
      line_key text not null,
      record_group text not null,
      place text not null,
      line_id text not null,
      statement_id text not null,
      line_at timestamptz(3) not null,
      currency text not null,
      units numeric not null,
      refs json not null,
      text text not null,
      about_operation uuid,
      about_tenant uuid,
      constraint statement_line_pkey primary key (tenant_id, line_key),
      constraint statement_line_units check (units <> 0 and scale(units) = 0),
      constraint statement_line_about_whole check (num_nulls(about_operation, about_tenant) in (0, 2))
    )`,
    sql`create index statement_line_group on statement_line (tenant_id, record_group)`,
    sql`create index statement_line_time on statement_line (tenant_id, place, line_at)`,
    sql`alter table reconciliation_break add column about_kind text, add column about_id text, add column about_tenant uuid,
      add constraint reconciliation_break_about_whole check (
        case about_kind
          when 'operation' then about_id is not null and about_tenant is not null
          when 'statement_line' then about_id is not null and about_tenant is null
          else num_nulls(about_kind, about_id, about_tenant) = 3
        end)`,
    // whoever compares the books with a provider's statement looks at all tenants
    sql`create index ledger_leg_at_provider on ledger_leg (account, posted_at)
      where account in ('custodian', 'bank', 'suspense:custodian', 'suspense:bank')`,
    sql`create index operation_named_by_provider on operation (provider, provider_reference) where provider_reference is not null`,
    sql`create index operation_with_any_provider on operation (operation_id) where provider is not null`
  ]
}
