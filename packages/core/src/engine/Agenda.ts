import type { TenantId } from "../tenant/Tenant.ts"
import type { Change } from "./Change.ts"
import type { Timestamp } from "./Timestamp.ts"

/**
 * Something that a process of the worker is to look at. It is written in the commit that makes it due, so nothing that was
 * accepted is ever forgotten, and taken off in the commit that needs no further step.
 */
export interface AgendaItem {
  readonly tenantId: TenantId
  /** Which process takes it, such as `withdrawal` or `send:ethereum`. */
  readonly topic: string
  /** What is to be looked at: the id of an operation or of another record. One item per topic and key. */
  readonly key: string
  readonly dueAt: Timestamp
}

/** Puts something on the agenda, or moves it to another moment. */
export const schedule = (topic: string, key: string, dueAt: Timestamp): Change => ({
  _tag: "Scheduled",
  topic,
  key,
  dueAt
})

/** Takes something off the agenda. */
export const unschedule = (topic: string, key: string): Change => ({ _tag: "Scheduled", topic, key, dueAt: null })
