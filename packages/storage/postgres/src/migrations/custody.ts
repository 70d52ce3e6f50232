import type { Migration } from "./Migration.ts"

/** What operations cost, the prices that were held, and where tenants withdraw to. */
export const custody: Migration = {
  id: 15,
  name: "custody",
  statements: (sql) => [
    sql`create table fee_rule (
      tenant_id uuid not null,
      fee_rule_id uuid not null,
      record_group text not null,
      product text,
      currency text,
      rail text,
      percent text not null,
      minimum_fee text not null,
      priority integer not null,
      effective_from timestamptz(3) not null,
      created_at timestamptz(3) not null,
      retired_at timestamptz(3),
      constraint fee_rule_pkey primary key (tenant_id, fee_rule_id)
    )`,
    sql`create table quote (
      tenant_id uuid not null,
      quote_id uuid not null,
      record_group text,
      product text not null,
      currency text not null,
      units numeric not null,
      fee_units numeric not null,
      to_currency text not null,
      to_units numeric not null,
      floor_units numeric not null,
      exchange_rate text not null,
      rate_source text,
      rate_observed_at timestamptz(3),
      provider text not null,
      rule_id text,
      customer_id text,
      rail text,
      country text,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      used_by uuid,
      constraint quote_pkey primary key (tenant_id, quote_id),
      constraint quote_units_positive check (units > 0 and scale(units) = 0 and to_units > 0 and scale(to_units) = 0),
      constraint quote_floor_below check (floor_units >= 0 and floor_units <= to_units and fee_units >= 0)
    )`,
    sql`create unique index quote_used_by on quote (tenant_id, used_by) where used_by is not null`,
    sql`create table provider_order (
      tenant_id uuid not null,
      provider_order_key text not null,
      record_group text,
      provider text not null,
      provider_reference text not null,
      operation_id uuid not null,
      constraint provider_order_pkey primary key (tenant_id, provider_order_key)
    )`,
    sql`create table destination (
      tenant_id uuid not null,
      destination_id uuid not null,
      record_group text not null,
      currency text not null,
      network text not null,
      address text not null,
      memo text,
      label text not null,
      proposed_by text not null,
      verified_by text,
      verified_at timestamptz(3),
      usable_from timestamptz(3),
      rejected_at timestamptz(3),
      rejected_reason text,
      created_at timestamptz(3) not null,
      constraint destination_pkey primary key (tenant_id, destination_id),
      constraint destination_four_eyes check (verified_by is null or verified_by <> proposed_by)
    )`
  ]
}
