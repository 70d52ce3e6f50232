import { kindOfCorrections, tenantAccountPrefixes } from "@bursar/core/operation/concernsTenant"

/** An hour of the totals. Hours and days are those of UTC. */
export const hourMs = 3_600_000

/** A day of the totals. */
export const dayMs = 24 * hourMs

/** What tells a category of operations. */
export const category = "kind, currency, status, acts_for, network, provider, registered"

/** How a row of totals is added to what is there. */
export const addingText = `on conflict (tenant_id, span, starts_at, ${category}) do update set
  operations = operation_total.operations + excluded.operations, units = operation_total.units + excluded.units,
  fee_units = operation_total.fee_units + excluded.fee_units`

/** The rule of `concernsTenant` over an operation `t`. Only corrections, of which there are few, are looked up in the ledger. */
export const registeredText = `(t.kind <> '${kindOfCorrections}' or coalesce((
  select bool_or(${tenantAccountPrefixes.map((prefix) => `l.account like '${prefix}%'`).join(" or ")})
  from ledger_leg l where l.tenant_id = t.tenant_id and l.operation_id = t.operation_id), true))`

const startOf = (span: "day" | "hour", of: string) =>
  `date_trunc('${span}', ${of} at time zone 'UTC') at time zone 'UTC'`

/** The rows of totals that the operations `t` come to which a condition chooses: by the hour first, of which there are few. */
export const totalsSelect = (condition: string): string => `select h.tenant_id, s.span, s.starts_at, ${category},
    sum(h.operations)::int8 as operations, sum(h.units) as units, sum(h.fee_units) as fee_units
  from (
    select t.tenant_id, ${startOf("hour", "t.created_at")} as hour, t.kind, t.currency, t.status, t.acts_for,
      coalesce(t.network, '') as network, coalesce(t.provider, '') as provider, ${registeredText} as registered,
      count(*) as operations, sum(t.units) as units, sum(t.fee_units) as fee_units
    from operation t where ${condition}
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9
  ) h cross join lateral (values ('ever', 'epoch'::timestamptz), ('day', ${startOf("day", "h.hour")}), ('hour', h.hour)) as s(span, starts_at)
  group by h.tenant_id, s.span, s.starts_at, ${category}`

/** Adds what some operations come to, or takes it away. */
export const totalsOf = (
  condition: string,
  sign: -1 | 1
): string => `insert into operation_total (tenant_id, span, starts_at, ${category}, operations,
    units, fee_units)
  select tenant_id, span, starts_at, ${category}, ${sign} * operations, ${sign} * units, ${sign} * fee_units
  from (${totalsSelect(condition)}) made order by starts_at ${addingText}`

const ofTenant = "t.tenant_id = $1"

const place = `span, starts_at, ${category}`

/** The first row of a tenant's totals that is not what its operations come to. */
export const wrongTotalText = `select ${place}, coalesce(k.operations, 0) as kept, coalesce(m.operations, 0) as made
  from (select * from operation_total where tenant_id = $1 and (operations <> 0 or units <> 0 or fee_units <> 0)) k
    full join (${totalsSelect(ofTenant)}) m using (${place})
  where (k.operations, k.units, k.fee_units) is distinct from (m.operations, m.units, m.fee_units)
  order by ${place} limit 1`

/** Writes a tenant's totals anew from its operations. To be run in a transaction that holds the lock of its head. */
export const rebuildTexts = [`delete from operation_total where tenant_id = $1`, totalsOf(ofTenant, 1)]
