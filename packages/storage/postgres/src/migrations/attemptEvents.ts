import type { Migration } from "./Migration.ts"

/** Finds the attempts to deliver what an operation told, however many others there are. Events come in order, so it grows at its end. */
export const attemptEvents: Migration = {
  id: 64,
  name: "attempt_events",
  statements: (sql) => [sql`create index webhook_attempt_event on webhook_attempt (tenant_id, event_id)`]
}
