import type { Migration } from "./Migration.ts"

/**
 * `lease_rates` is told the clock of the process that asks. Windows count by the clock of the database: where the two differ by two seconds or more,
 * the second that was asked for is put right by as much. A process whose clock was a minute ahead emptied every window that it touched, and those
 * of the others with it. The one without a clock stays for processes of the release before.
 */
export const rateClock: Migration = {
  id: 70,
  name: "rate_clock",
  statements: (sql) => [
    sql`create function lease_rates(requests integer[], subjects text[], limits integer[], counts integer[], now_second bigint, process_ms bigint)
    returns table (request integer, granted integer, remaining integer, reset_seconds integer, denied_limit integer, counted_in text[], counted bigint[])
    language plpgsql as $$
    declare
      difference_ms bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint - process_ms;
    begin
      if abs(difference_ms) < 2000 then
        difference_ms := 0;
      end if;
      return query select * from lease_rates(requests, subjects, limits, counts, now_second + round(difference_ms / 1000.0)::bigint);
    end $$`
  ]
}
