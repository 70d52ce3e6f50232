import { Schema } from "effect"

/** The ways in which a node can let its caller down. */
const kinds = ["drop", "delay", "lost_reply", "empty", "lag", "refuse", "duplicate", "garbage"] as const

/**
 * A fault to come.
 *
 * **Details**
 *
 * - `drop`: breaks the connection; the node never sees the request.
 * - `delay`: waits `delay_ms` (1000), then answers truly.
 * - `lost_reply`: the node takes the request, the answer is dropped.
 * - `empty`: answers `{}`, or `[]` where a list is asked for; the node never sees the request.
 * - `lag`: answers as a node that is `lag_blocks` (3) behind.
 * - `refuse`: answers a broadcast with `error_code` (SERVER_BUSY) and anything else with an `Error`, in the words of
 *   `error_message`; the node never sees the request.
 * - `duplicate`: takes a broadcast twice and gives the second answer. Applies to broadcasts alone.
 * - `garbage`: the node takes the request, the answer is spoilt as `garbage` says (`truncated`).
 */
export const TronFault = Schema.Struct({
  kind: Schema.Literals(kinds),
  /** How many requests it hits. */
  times: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })),
  /** Only requests of this endpoint, such as `broadcasttransaction`, or of one in this list; absent means all. */
  method: Schema.optionalKey(Schema.Union([Schema.NonEmptyString, Schema.NonEmptyArray(Schema.NonEmptyString)])),
  delay_ms: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 600_000 }))),
  lag_blocks: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))),
  garbage: Schema.optionalKey(Schema.Literals(["truncated", "invalid_json", "wrong_types"])),
  error_code: Schema.optionalKey(Schema.NonEmptyString),
  error_message: Schema.optionalKey(Schema.String)
})

/** {@link TronFault} as a type. */
export type TronFault = typeof TronFault.Type

/** Faults waiting for their requests, in the order in which they were asked for. */
export interface TronFaultQueue {
  readonly add: (fault: TronFault) => void
  readonly clear: () => void
  /** What is still to come, with the times left. */
  readonly pending: () => ReadonlyArray<TronFault>
  /** The first fault that concerns a request of this endpoint; it counts as having happened. */
  readonly take: (endpoint: string) => TronFault | undefined
}

/** Whether an endpoint takes transactions. */
export const isBroadcast = (endpoint: string): boolean =>
  endpoint === "broadcasttransaction" || endpoint === "broadcasthex"

const concerns = ({ kind, method }: TronFault, endpoint: string): boolean => {
  if (kind === "duplicate" && !isBroadcast(endpoint)) return false
  if (method === undefined) return true
  return typeof method === "string" ? method === endpoint : method.includes(endpoint)
}

/** An empty queue. */
export const makeQueue = (): TronFaultQueue => {
  let waiting: ReadonlyArray<TronFault> = []
  return {
    add: (fault) => {
      waiting = [...waiting, fault]
    },
    clear: () => {
      waiting = []
    },
    pending: () => waiting,
    take: (endpoint) => {
      const found = waiting.find((fault) => concerns(fault, endpoint))
      if (found === undefined) return undefined
      waiting = waiting.flatMap((fault) => {
        if (fault !== found) return [fault]
        return fault.times > 1 ? [{ ...fault, times: fault.times - 1 }] : []
      })
      return found
    }
  }
}
