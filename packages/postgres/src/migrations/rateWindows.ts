import type { Migration } from "./Migration.ts"

/**
 * Sliding windows of 60 one-second buckets. Unlogged: a crash forgets at most a minute of counts and costs no fsync per
 * request.
 *
 * `take_rate` takes one request from every window or from none. It locks the rows in the order of their subjects, so that
 * concurrent takes cannot deadlock. The bucket of second s is number s mod 60 (+ 1, as arrays count from 1); what lies more
 * than 59 seconds back is cleared before counting. A clock that is behind that of another server counts as that one's.
 */
export const rateWindows: Migration = {
  id: 11,
  name: "rate_windows",
  statements: (sql) => [
    sql`create unlogged table rate_window (
      subject text not null,
      last_second bigint not null,
      buckets integer[] not null,
      constraint rate_window_pkey primary key (subject),
      constraint rate_window_minute check (cardinality(buckets) = 60)
    ) with (fillfactor = 50)`,
    sql`create function take_rate(
      subjects text[], limits integer[], now_second bigint,
      out allowed boolean, out remaining integer, out reset_seconds integer, out denied_limit integer
    ) language plpgsql as $$
    declare
      asked record;
      held rate_window;
      used integer;
      second bigint;
      wait integer;
      free integer;
      kept rate_window[] := '{}';
    begin
      allowed := true;
      for asked in select * from unnest(subjects, limits) as w(subject, maximum) order by subject loop
        insert into rate_window (subject, last_second, buckets)
          values (asked.subject, now_second, array_fill(0, array[60]))
          on conflict (subject) do nothing;
        select * into held from rate_window where subject = asked.subject for update;
        if now_second - held.last_second >= 60 then
          held.buckets := array_fill(0, array[60]);
        else
          for second in held.last_second + 1 .. now_second loop
            held.buckets[second % 60 + 1] := 0;
          end loop;
        end if;
        held.last_second := greatest(held.last_second, now_second);
        select coalesce(sum(bucket), 0) into used from unnest(held.buckets) as bucket;
        if used >= asked.maximum then
          -- how long until enough of the oldest requests have left the window
          wait := 60;
          free := asked.maximum - used;
          for second in held.last_second - 59 .. held.last_second loop
            free := free + held.buckets[second % 60 + 1];
            if free > 0 then
              wait := second + 60 - held.last_second;
              exit;
            end if;
          end loop;
          if allowed or wait > reset_seconds then
            reset_seconds := wait;
            denied_limit := asked.maximum;
          end if;
          allowed := false;
        elsif allowed then
          held.buckets[held.last_second % 60 + 1] := held.buckets[held.last_second % 60 + 1] + 1;
          kept := kept || held;
          if remaining is null or asked.maximum - used - 1 < remaining then
            remaining := asked.maximum - used - 1;
            -- when the oldest request leaves the window
            for second in held.last_second - 59 .. held.last_second loop
              if held.buckets[second % 60 + 1] > 0 then
                reset_seconds := second + 60 - held.last_second;
                exit;
              end if;
            end loop;
          end if;
        end if;
      end loop;
      if allowed then
        update rate_window w set last_second = k.last_second, buckets = k.buckets
          from unnest(kept) as k where w.subject = k.subject;
      end if;
    end $$`
  ]
}
