import { Context, type Effect } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { StorageError } from "../engine/StorageError.ts"
import type { TenantId } from "../tenant/Tenant.ts"

/** What a provider was asked to do: to take an order, or to tell what became of one. */
export type CallName = "withdraw" | "withdrawal" | "convert" | "conversion" | "send" | "transfer"

/** What was said, by name. It names no person, and of accounts no more than the end of their numbers. */
export type CallFacts = Readonly<Record<string, string>>

/** A call that was made of a provider for an operation, and what it answered. */
export interface ProviderCall {
  readonly tenantId: TenantId
  readonly operationId: string
  readonly provider: string
  readonly call: CallName
  /** When it was made. */
  readonly at: Timestamp
  readonly durationMs: number
  /** How the answer was understood. */
  readonly outcome: "Done" | "Refused" | "Unknown"
  readonly asked: CallFacts
  readonly answered: CallFacts
}

/** Calls of an operation that followed one another and were answered alike. */
export interface NotedCall extends ProviderCall {
  /** How many there were; `at` is that of the first, `durationMs` that of the last. */
  readonly times: number
  readonly lastAt: Timestamp
}

/**
 * What providers were asked for operations and answered, for people who look into one. Nothing is decided by it, and a call whose process dies
 * before it is noted is missing: that an order may have been sent stands in the operation.
 */
export class ProviderCalls extends Context.Service<
  ProviderCalls,
  {
    /** Notes a call behind those of its operation; one that says the same as the newest is counted with it. */
    readonly note: (call: ProviderCall) => Effect.Effect<void, StorageError>
    /** The newest calls of an operation, newest first. */
    readonly callsOf: (
      tenantId: TenantId,
      operationId: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<NotedCall>, StorageError>
    /** Removes calls that were first made before a moment, at most so many, and says how many. */
    readonly forget: (before: Timestamp, callsMax: number) => Effect.Effect<number, StorageError>
  }
>()("@bursar/core/port/ProviderCalls") {}
