import { Context, type Effect, Schema } from "effect"
import type { Reach } from "./Reach.ts"

/** A request to a URL that somebody configured. */
export interface EgressRequest {
  readonly method: "GET" | "POST"
  readonly url: string
  /** Who chose the host: it decides how its addresses are found, see `HostResolver`. */
  readonly chosenBy: "operator" | "tenant"
  readonly reach: Reach
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** How long finding and connecting to the host may take, TLS included. */
  readonly connectTimeoutMs: number
  /** How long everything may take. */
  readonly totalTimeoutMs: number
  /**
   * Whether to use a connection that was kept, to an address that was checked when it was made. If the host has just closed it, the
   * request is sent again on another: only for requests that may arrive twice.
   */
  readonly keepAlive: boolean
  /** How much of the answer is read. */
  readonly responseBytesMax: number
}

/** An answer, whatever its status. */
export interface EgressResponse {
  readonly status: number
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  /** The start of the body. */
  readonly body: Uint8Array
  /** The body went on, broke off or did not end in time. */
  readonly truncated: boolean
}

/** No answer came. */
export class EgressError extends Schema.TaggedError<EgressError>()("EgressError", {
  /** `refused`: the URL or an address behind it must not be reached; nothing was sent. */
  reason: Schema.Literals(["refused", "unresolved", "unreachable", "connect_timeout", "timeout"]),
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/**
 * The one way out to URLs that tenants and operators configure. It connects only to addresses that it has checked itself,
 * follows no redirect, and bounds time and size.
 */
export class Egress extends Context.Service<
  Egress,
  {
    readonly send: (request: EgressRequest) => Effect.Effect<EgressResponse, EgressError>
  }
>()("@bursar/worker/egress/Egress") {}
