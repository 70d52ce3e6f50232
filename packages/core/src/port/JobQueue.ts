import { Context, type Effect } from "effect"
import type { Job } from "../engine/Job.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { StorageError } from "../engine/StorageError.ts"
import type { TenantId } from "../tenant/Tenant.ts"

/** What the processes of the worker have to do, over all tenants. It is written through the Writer alone. */
export class JobQueue extends Context.Service<
  JobQueue,
  {
    /**
     * The jobs of a queue that are due at `now`, the longest due first, at most `limit`. Where more are due, the tenants take turns, so that the
     * jobs of one leave out none of another that has few.
     */
    readonly due: (queue: string, now: Timestamp, limit: number) => Effect.Effect<ReadonlyArray<Job>, StorageError>
    /** The jobs of one tenant alone in a queue that are due at `now`, the longest due first, at most `limit`. */
    readonly dueOf: (
      tenantId: TenantId,
      queue: string,
      now: Timestamp,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Job>, StorageError>
    /**
     * Makes the jobs of a queue due now, of whichever tenant, whose key is the one given or begins with it and `|`
     * (`keyOfProvider`). Puts nothing in a queue and takes nothing off. Each becomes due earlier than it was, if only by a millisecond, so that a look which
     * has begun notices it (`endLook`).
     */
    readonly expedite: (queue: string, key: string, now: Timestamp) => Effect.Effect<void, StorageError>
  }
>()("@bursar/core/port/JobQueue") {}
