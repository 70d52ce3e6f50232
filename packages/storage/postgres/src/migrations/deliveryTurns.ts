import type { Migration } from "./Migration.ts"

/** When each endpoint was served last, counted and not timed, so that the one that has waited longest is next. */
export const deliveryTurns: Migration = {
  id: 24,
  name: "delivery_turns",
  statements: (sql) => [
    sql`create sequence webhook_turn`,
    // whoever was never served by a turn is first
    sql`alter table webhook_state add column turn bigint not null default 0`
  ]
}
