import type { Migration } from "./Migration.ts"

/**
 * What is left in suspense of what went back in part is for operators to place: it had looked concluded. Its provider is asked once more, which
 * may have taken back more since. Where suspense holds less, an adjustment has credited it, which was the only way: that stays concluded.
 */
export const openSuspense: Migration = {
  id: 74,
  name: "open_suspense",
  statements: (sql) => [
    sql`with opened as (
        update operation o set unresolved = true
          where exists (select 1 from balance b where b.tenant_id = o.tenant_id and b.account = 'suspense'
              and b.currency = coalesce(o.details->>'arrived_currency', o.currency)
              and -b.units >= (o.details->>'arrived')::numeric - (o.details->>'returned')::numeric)
            and kind = 'ON_RAMP' and status = 'RETURNED' and not unresolved and details->>'suspended' = 'true'
            and (details->>'returned')::numeric < (details->>'arrived')::numeric
          returning tenant_id, operation_id
      )
      insert into job (tenant_id, queue, key, due_at)
        select tenant_id, 'transfer', operation_id::text, now() from opened
        on conflict (tenant_id, queue, key) do nothing`
  ]
}
