import { type Event, type EventKind, eventKinds } from "@bursar/core/event/Event"
import * as Cell from "../internal/cells.ts"
import { int8, json, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { bigintColumn, column, type Table } from "../internal/Table.ts"

const kind = (cell: unknown): EventKind => {
  const name = Cell.text(cell)
  if (!Object.hasOwn(eventKinds, name)) throw new Error(`the database gave an event of the unknown kind ${name}`)
  return name as EventKind // it is one of the keys
}

/** The feed. */
export const eventTable: Table<Event> = {
  name: "event",
  key: ["event_id"],
  columns: [
    bigintColumn("event_id", int8, ({ id }) => id),
    column("kind", text, (event) => event.kind),
    column("resource_id", uuid, ({ resourceId }) => resourceId),
    column("occurred_at", timestamptz, ({ occurredAt }) => occurredAt),
    column("data", json, ({ data }) => data)
  ],
  read: (row) => ({
    id: Cell.int(row.event_id),
    kind: kind(row.kind),
    resourceId: Cell.text(row.resource_id),
    occurredAt: Cell.at(row.occurred_at),
    data: Cell.json(row.data)
  })
}
