import type { Migration } from "./Migration.ts"

/**
 * Of several tenants that had claimed one order, the one that it has settled owns it. Another that had settled by it, too, is listed as
 * contradicted: one order has moved money once.
 */
export const settledOrders: Migration = {
  id: 73,
  name: "settled_orders",
  statements: (sql) => [
    sql`update provider_order_directory d set tenant_id = first.tenant_id
      from (
        select distinct on (provider_order_key) provider_order_key, p.tenant_id
          from provider_order p left join operation o on (o.tenant_id, o.operation_id) = (p.tenant_id, p.operation_id)
          where provider_order_key in (select provider_order_key from provider_order group by 1 having count(*) > 1)
          order by provider_order_key, case o.status when 'SETTLED' then 0 when 'FAILED' then 1 else 2 end, p.tenant_id
      ) first
      where d.provider_order_key = first.provider_order_key and d.tenant_id <> first.tenant_id`,
    sql`update operation o set details = (o.details::jsonb || jsonb_build_object('contradiction', jsonb_build_object(
        'said', 'the order ' || p.provider_reference || ' belongs to operation ' || own.operation_id,
        'at', floor(extract(epoch from now()) * 1000)::bigint)))::json
      from provider_order p
        join provider_order_directory d on d.provider_order_key = p.provider_order_key and d.tenant_id <> p.tenant_id
        join provider_order own on (own.tenant_id, own.provider_order_key) = (d.tenant_id, d.provider_order_key)
      where (o.tenant_id, o.operation_id) = (p.tenant_id, p.operation_id) and o.status = 'SETTLED'
        and o.details->>'contradiction' is null`
  ]
}
