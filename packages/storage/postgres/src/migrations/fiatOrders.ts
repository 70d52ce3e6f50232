import type { Migration } from "./Migration.ts"

/**
 * An order of the fiat provider, and a payment on an account there, belongs to one operation among all tenants, as one of a custodian does. What was
 * booked before belongs to the first that it moved money for. Another that it moved money for is listed as contradicted.
 */
export const fiatOrders: Migration = {
  id: 84,
  name: "fiat_orders",
  statements: (sql) => {
    const claims = sql`select o.tenant_id, o.operation_id, o.status, o.created_at, o.provider, c.reference,
        o.provider || '|' || c.reference as provider_order_key
      from (
        select tenant_id, operation_id, provider_reference as reference from operation
          where kind in ('ON_RAMP', 'OFF_RAMP', 'BANK_TRANSFER', 'REFUND') and provider_reference is not null
        union all
        select tenant_id, operation_id, payment_key from booked_incoming
      ) c join operation o using (tenant_id, operation_id)
      where o.provider is not null`
    return [
      sql`insert into provider_order (tenant_id, provider_order_key, provider, provider_reference, operation_id)
        select distinct on (provider_order_key) tenant_id, provider_order_key, provider, reference, operation_id
          from (${claims}) claim
          where provider_order_key not in (select provider_order_key from provider_order_directory)
          order by provider_order_key, case when status in ('SETTLED', 'RETURNED') then 0 when status = 'FAILED' then 1 else 2 end,
            created_at, operation_id`,
      sql`insert into provider_order_directory (provider_order_key, tenant_id)
        select provider_order_key, tenant_id from provider_order on conflict do nothing`,
      sql`update operation o set details = (o.details::jsonb || jsonb_build_object('contradiction', jsonb_build_object(
          'said', 'the order ' || claim.reference || ' belongs to operation ' || own.operation_id,
          'at', floor(extract(epoch from now()) * 1000)::bigint)))::json
        from (${claims}) claim
          join provider_order_directory d using (provider_order_key)
          join provider_order own on (own.tenant_id, own.provider_order_key) = (d.tenant_id, d.provider_order_key)
        where (o.tenant_id, o.operation_id) = (claim.tenant_id, claim.operation_id)
          and own.operation_id <> claim.operation_id
          and o.status in ('SETTLED', 'RETURNED') and o.details->>'contradiction' is null`
    ]
  }
}
