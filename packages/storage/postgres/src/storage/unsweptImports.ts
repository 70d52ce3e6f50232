const imported = `s.address_key ->> '_tag' = 'Imported'`

/** Whether a sweep has moved a deposit for good: what it left behind is what it says. */
const isSwept = `exists (
  select from sweep w
  where w.tenant_id = s.tenant_id and w.sweep_id = s.sweep_id and w.state = 'SWEPT' and w.closed_at is not null)`

/** How much of a deposit backs nothing: all that was credited, until it is swept. One that is lost under a sweep may be moved all the same. */
const expected = `case when ${imported} and s.booked_by is null and (not s.gone or s.sweep_id is not null) then s.units else 0 end`

/** Says of the deposits of some tenants how much of each backs nothing. `of` is a condition on `s`. */
export const unbackedOf = (of: string): string =>
  `update sweepable_deposit s set unbacked = ${expected} where ${of} and s.unbacked <> ${expected} and not ${isSwept}`

/** Counts what of the deposits of some tenants backs nothing. `of` is a condition on `s`. */
export const countsOf = (of: string): string =>
  `insert into unswept_imports (tenant_id, currency, units)
    select s.tenant_id, s.currency, sum(s.unbacked) from sweepable_deposit s where ${of} and s.unbacked > 0
    group by s.tenant_id, s.currency`

/** Counts anew what of a tenant's deposits backs nothing. To be run in a transaction that holds the lock of its head. */
export const recountTexts = [
  unbackedOf("s.tenant_id = $1"),
  "delete from unswept_imports where tenant_id = $1",
  countsOf("s.tenant_id = $1")
]
