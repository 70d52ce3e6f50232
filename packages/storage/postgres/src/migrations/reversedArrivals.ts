import type { Migration } from "./Migration.ts"

/**
 * What was booked in suspense names the operation that took it back, and cannot be assigned any more. What had been assigned by then, and is booked
 * again with the same amount, was assigned by the same adjustment.
 */
export const reversedArrivals: Migration = {
  id: 77,
  name: "reversed_arrivals",
  statements: (sql) => [
    sql`update operation o set details = (o.details::jsonb || jsonb_build_object('reversed_by', r.operation_id))::json
      from operation r
      where r.kind = 'ADJUSTMENT' and coalesce(r.details->>'uncredited_deposit', r.details->>'wallet_arrival') is not null
        and r.tenant_id = o.tenant_id and r.details->>'reverses' = o.operation_id::text
        and o.details->>'reversed_by' is null`,
    sql`with arrival as (
        select tenant_id, operation_id, details, coalesce(details->>'uncredited_deposit', (details->'wallet_arrival'->>'network')
            || '|' || tx_hash || '|' || (details->'wallet_arrival'->>'transfer_index'))
            || '|' || currency || '|' || (units - coalesce((details->>'own_units')::numeric, 0)) as identity
          from operation where kind = 'ADJUSTMENT' and details->>'reverses' is null
            and coalesce(details->>'uncredited_deposit', details->>'wallet_arrival') is not null
      ), first as (
        select distinct on (tenant_id, identity) * from arrival
          where details->'assigned'->>'operation_id' is not null and details->>'reversed_by' is not null
          order by tenant_id, identity, operation_id
      )
      update operation o set details = (o.details::jsonb || jsonb_build_object(
          'assigned', f.details->'assigned', 'succeeds', f.operation_id))::json
        from arrival a join first f on (f.tenant_id, f.identity) = (a.tenant_id, a.identity)
        where (o.tenant_id, o.operation_id) = (a.tenant_id, a.operation_id) and a.operation_id > f.operation_id
          and a.details->'assigned'->>'operation_id' is null`
  ]
}
