import { Context, type Effect } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { StorageError } from "../engine/StorageError.ts"

/** A counter of a sliding 60-second window, in 60 one-second buckets. */
export interface RateWindow {
  /** What is counted, such as `key:<id>:read` or `tenant:<id>`. */
  readonly subject: string
  readonly limit: number
}

/** Whether a request may pass. A denied request has cost nothing in any window. */
export type RateDecision =
  | { readonly _tag: "Allowed"; readonly remaining: number; readonly resetSeconds: number }
  | { readonly _tag: "Denied"; readonly limit: number; readonly retryAfterSeconds: number }

/** Rate limits that hold over all server processes that share the store. */
export class RateLimits extends Context.Service<
  RateLimits,
  {
    /**
     * Takes one request from every window, or from none where one of them is full. To be called for each request: the effect of a call may be
     * the decision itself. `now` is by the clock of the caller's process. Windows count by the clock of the store: where that says otherwise by
     * two seconds or more, `now` is put right by as much.
     */
    readonly take: (windows: ReadonlyArray<RateWindow>, now: Timestamp) => Effect.Effect<RateDecision, StorageError>
  }
>()("@bursar/core/port/RateLimits") {}
