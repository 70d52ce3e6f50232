import type { Migration } from "./Migration.ts"

/**
 * `lease_rates` takes a count with each request: so many like it are decided on at once, as if they had come one after the other, and as many are
 * granted as all of their windows have room for. The one without counts stays for processes of the release before.
 */
export const countedRateLeases: Migration = {
  id: 68,
  name: "counted_rate_leases",
  statements: (sql) => [
    sql`create function lease_rates(requests integer[], subjects text[], limits integer[], counts integer[], now_second bigint)
    returns table (request integer, granted integer, remaining integer, reset_seconds integer, denied_limit integer, counted_in text[], counted bigint[])
    -- rows are found by key; on a young table the planner would rather read it whole, and keep that plan
    language plpgsql set enable_seqscan = off as $$
    declare
      names text[] := array(select distinct s.name from unnest(subjects) as s(name) order by s.name);
      held rate_window[];
      kept rate_window[] := '{}';
      used integer[];
      oldest integer[];
      added integer[] := array_fill(0, array[cardinality(names)]);
      asked record;
      one rate_window;
      place integer;
      maximum integer;
      total integer;
      free integer;
      wait integer;
      slot integer;
    begin
      loop
        insert into rate_window (subject, last_second, buckets)
          select n.name, now_second, array_fill(0, array[60]) from unnest(names) as n(name)
          on conflict do nothing;
        -- every window as it is at this second: its buckets, their sum, and in how many seconds the first that counts leaves
        select array_agg(row(w.subject, w.current, b.buckets)::rate_window order by n.place),
            array_agg(b.used order by n.place), array_agg(b.oldest order by n.place)
          into held, used, oldest
          from unnest(names) with ordinality as n(name, place)
          cross join lateral (
            select r.subject, r.buckets, r.last_second, greatest(r.last_second, now_second) as current
            from rate_window r where r.subject = n.name limit 1 for update) w
          cross join lateral (
            select array_agg(c.count order by c.place) as buckets, sum(c.count)::integer as used,
              min(c.leaves_in) filter (where c.count > 0)::integer as oldest
            from (
              select a.place, mod(mod(a.place - 2 - w.current, 60) + 60, 60) + 1 as leaves_in,
                case when mod(mod(a.place - 2 - w.last_second, 60) + 60, 60) < w.current - w.last_second
                  then 0 else a.count end as count
              from unnest(w.buckets) with ordinality as a(count, place)) c) b;
        -- a window that was removed in between is made again
        exit when coalesce(cardinality(held), 0) = cardinality(names);
      end loop;
      for asked in
        select a.request as number, array_agg(array_position(names, a.subject) order by a.subject) as places,
          array_agg(a.maximum order by a.subject) as maxima, max(a.count) as wanted
        from unnest(requests, subjects, limits, counts) as a(request, subject, maximum, count) group by a.request order by a.request
      loop
        request := asked.number;
        -- the windows must have room for all that are granted; what is left of the count is refused
        granted := asked.wanted;
        remaining := null;
        reset_seconds := null;
        denied_limit := null;
        counted_in := null;
        counted := null;
        for at in 1 .. cardinality(asked.places) loop
          place := asked.places[at];
          maximum := asked.maxima[at];
          total := used[place] + added[place];
          if total < maximum then
            if granted > 0 then
              granted := least(granted, maximum - total);
              remaining := least(remaining, maximum - total);
              reset_seconds := greatest(reset_seconds, coalesce(oldest[place], 60));
            end if;
            continue;
          end if;
          -- from the oldest second on: when is enough gone for one more
          free := maximum - total;
          wait := 60;
          for leaves_in in 1 .. 59 loop
            free := free + held[place].buckets[mod(held[place].last_second + leaves_in, 60) + 1];
            if free > 0 then
              wait := leaves_in;
              exit;
            end if;
          end loop;
          if granted > 0 or wait > reset_seconds then
            reset_seconds := wait;
            denied_limit := maximum;
          end if;
          granted := 0;
        end loop;
        if granted > 0 then
          remaining := remaining - granted;
          foreach place in array asked.places loop
            added[place] := added[place] + granted;
            counted_in := counted_in || names[place];
            counted := counted || held[place].last_second;
          end loop;
        end if;
        return next;
      end loop;
      for at in 1 .. cardinality(names) loop
        continue when added[at] = 0;
        one := held[at];
        slot := mod(one.last_second, 60) + 1;
        one.buckets[slot] := one.buckets[slot] + added[at];
        kept := kept || one;
      end loop;
      update rate_window w set last_second = k.last_second, buckets = k.buckets
        from unnest(kept) as k where w.subject = k.subject;
    end $$`
  ]
}
