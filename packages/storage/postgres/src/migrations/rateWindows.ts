import type { Migration } from "./Migration.ts"

/**
 * Sliding windows of 60 one-second buckets. Unlogged: a crash forgets at most a minute of counts and costs no fsync per
 * request.
 *
 * `take_rate` takes one request from every window or from none. It locks the rows in the order of their subjects, so
 * that concurrent takes cannot deadlock. The bucket of second s is number s mod 60 (+ 1, as arrays count from 1);
 * what lies more than 59 seconds back is cleared before counting. A clock that is behind that of another server
 * counts as that one's.
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
      slot integer;
      free integer;
      wait integer;
      oldest integer;
      kept rate_window[] := '{}';
    begin
      allowed := true;
      for asked in select * from unnest(subjects, limits) as w(subject, maximum) order by subject loop
        insert into rate_window (subject, last_second, buckets)
          values (asked.subject, now_second, array_fill(0, array[60]))
          on conflict (subject) do nothing;
        select * into held from rate_window where subject = asked.subject for update;
        for step in 1 .. least(now_second - held.last_second, 60) loop
          held.buckets[(held.last_second + step) % 60 + 1] := 0;
        end loop;
        held.last_second := greatest(held.last_second, now_second);
        select coalesce(sum(bucket), 0) into used from unnest(held.buckets) as bucket;
        -- from the oldest second on: when is enough gone for one more, and when does the first leave
        free := asked.maximum - used;
        wait := 60;
        oldest := 60;
        for left_in in 1 .. 60 loop
          slot := (held.last_second + left_in) % 60 + 1;
          if held.buckets[slot] > 0 then
            oldest := least(oldest, left_in);
            free := free + held.buckets[slot];
            if free > 0 then
              wait := left_in;
              exit;
            end if;
          end if;
        end loop;
        if used >= asked.maximum then
          if allowed or wait > reset_seconds then
            reset_seconds := wait;
            denied_limit := asked.maximum;
          end if;
          allowed := false;
        elsif allowed then
          slot := held.last_second % 60 + 1;
          held.buckets[slot] := held.buckets[slot] + 1;
          kept := kept || held;
          remaining := least(remaining, asked.maximum - used - 1);
          reset_seconds := greatest(reset_seconds, oldest);
        end if;
      end loop;
      if allowed then
        update rate_window w set last_second = k.last_second, buckets = k.buckets
          from unnest(kept) as k where w.subject = k.subject;
      end if;
    end $$`
  ]
}
