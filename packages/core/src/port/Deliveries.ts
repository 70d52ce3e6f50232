import { Context, type Effect } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Event } from "../event/Event.ts"
import type { WebhookEndpoint } from "../webhook/WebhookEndpoint.ts"
import type { Tenant, TenantId } from "../tenant/Tenant.ts"
import type { StorageError } from "../engine/StorageError.ts"

/** An endpoint that one worker holds for a while, with what is to be sent to it. */
export interface EndpointWork {
  readonly tenant: Pick<Tenant, "id" | "kind">
  readonly endpoint: WebhookEndpoint
  /** Proves that the lease is still this worker's. */
  readonly leaseToken: string
  /** Events not tried yet, in id order, and the id up to which the feed has been looked at for them. */
  readonly fresh: ReadonlyArray<Event>
  readonly freshUpTo: number
  /** Deliveries due again: retries, resends and replays, in the order in which they are due. */
  readonly due: ReadonlyArray<{ readonly event: Event; readonly attempt: number }>
  /**
   * Since when the endpoint has done nothing but fail; null after a success, and where nothing that failed waits to be tried
   * again: days on which nothing was sent are no days of failures.
   */
  readonly failingSince: Timestamp | null
}

/** One attempt of a delivery, as it is logged. */
export interface AttemptRecord {
  readonly endpointId: string
  readonly eventId: number
  readonly attempt: number
  readonly at: Timestamp
  /** The answer's status, or null where none came. */
  readonly status: number | null
  /** Why no answer came, in words. */
  readonly problem: string | null
  readonly durationMs: number
  /** The first 8 KiB of the answer. */
  readonly responseStart: string
}

/** An attempt and what follows from it. */
export interface Attempted {
  readonly record: AttemptRecord
  /** When to try again; null where there is nothing more to try. */
  readonly retryAt: Timestamp | null
}

/** What a worker says after attempts at an endpoint, in the order in which they were begun. */
export interface AttemptsReport {
  readonly tenantId: TenantId
  readonly endpointId: string
  readonly leaseToken: string
  readonly attempts: ReadonlyArray<Attempted>
  /** The event up to which first attempts have been made and reported, with these; null if none of these is one. */
  readonly freshUpTo: number | null
  /** Since when the endpoint has done nothing but fail, after these attempts. */
  readonly failingSince: Timestamp | null
}

/**
 * The state of webhook delivery. An endpoint is leased to one worker at a time; a lease that runs out is taken over, and
 * then an event may be delivered twice, never lost. First attempts are begun in id order per endpoint; a failing event is
 * set aside for a retry and does not hold up later ones, not those of its own resource either.
 */
export class Deliveries extends Context.Service<
  Deliveries,
  {
    /**
     * Leases up to `endpointsMax` enabled endpoints that have something to send and reads up to `eventsMax` for each.
     * The one that was served longest ago is first. Events of kinds that an endpoint does not want are passed over. A new endpoint starts after the events that were
     * there when it was added.
     */
    readonly lease: (
      now: Timestamp,
      leaseUntil: Timestamp,
      endpointsMax: number,
      eventsMax: number
    ) => Effect.Effect<ReadonlyArray<EndpointWork>, StorageError>
    /**
     * Logs attempts, moves the endpoint past fresh events, and stores or removes retries, all or nothing. An event that was queued again since its
     * attempt began stays queued. False: the lease was lost.
     */
    readonly report: (report: AttemptsReport) => Effect.Effect<boolean, StorageError>
    /** Gives a lease back, having looked at the feed up to `freshUpTo`. */
    readonly release: (work: EndpointWork, freshUpTo: number) => Effect.Effect<void, StorageError>
    /**
     * Queues the events between two ids, both inclusive, again for an endpoint, due now: those of the kinds that it wants. Returns how many there were.
     */
    readonly replay: (
      tenantId: TenantId,
      endpointId: string,
      fromEventId: number,
      toEventId: number,
      now: Timestamp
    ) => Effect.Effect<number, StorageError>
    /** Queues one event again for an endpoint, due now, whether or not it wants the kind: somebody names it. False: there is no such event, or endpoint. */
    readonly resend: (
      tenantId: TenantId,
      endpointId: string,
      eventId: number,
      now: Timestamp
    ) => Effect.Effect<boolean, StorageError>
    /** Removes attempts that were made before a moment, at most so many, and says how many: what is still to be sent stays to be sent. */
    readonly forget: (before: Timestamp, attemptsMax: number) => Effect.Effect<number, StorageError>
    /** The newest attempts of an endpoint. */
    readonly attempts: (
      tenantId: TenantId,
      endpointId: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<AttemptRecord>, StorageError>
    /** How many deliveries of an endpoint wait to be made again: retries, resends and what is left of replays. Counted up to `most`. */
    readonly waiting: (tenantId: TenantId, endpointId: string, most: number) => Effect.Effect<number, StorageError>
    /** The newest attempts to deliver some events of a tenant, to whichever endpoints. */
    readonly attemptsOf: (
      tenantId: TenantId,
      eventIds: ReadonlyArray<number>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<AttemptRecord>, StorageError>
  }
>()("@bursar/core/port/Deliveries") {}
