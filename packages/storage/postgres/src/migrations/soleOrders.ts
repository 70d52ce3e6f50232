import type { Migration } from "./Migration.ts"

/** An order of a provider belongs to one tenant among all. What two of them had claimed before stays, and nobody can claim it again. */
export const soleOrders: Migration = {
  id: 72,
  name: "sole_orders",
  statements: (sql) => [
    sql`create table provider_order_directory (
      provider_order_key text not null,
      tenant_id uuid not null,
      constraint provider_order_directory_pkey primary key (provider_order_key)
    )`,
    sql`insert into provider_order_directory (provider_order_key, tenant_id)
      select distinct on (provider_order_key) provider_order_key, tenant_id from provider_order
        order by provider_order_key, tenant_id`
  ]
}
