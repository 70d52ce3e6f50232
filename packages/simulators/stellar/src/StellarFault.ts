import { Schema } from "effect"

/** The ways in which a node can let its caller down. */
const kinds = ["drop", "delay", "lost_reply", "empty", "lag", "refuse", "duplicate", "garbage"] as const

/**
 * A fault to come. The kinds and fields are those of the other local networks.
 *
 * **Details**
 *
 * - `drop`: breaks the connection; the node never sees the request.
 * - `delay`: waits `delay_ms` (1000), then answers truly.
 * - `lost_reply`: the node takes the request, the answer is dropped.
 * - `empty`: answers an empty page, 404 for a single thing, `{}` or null for what is always there; the node never sees
 *   the request.
 * - `lag`: answers as a node that is `lag_blocks` (3) ledgers behind.
 * - `refuse`: answers a question to Horizon with HTTP `error_code` (503) and one to Stellar RPC with that JSON-RPC error
 *   (-32603), in the words of `error_message`; the node never sees the request.
 * - `duplicate`: takes a transaction twice and gives the second answer. Applies to what hands in transactions alone.
 * - `garbage`: the node takes the request, the answer is spoilt as `garbage` says (`truncated`).
 */
export const StellarFault = Schema.Struct({
  kind: Schema.Literals(kinds),
  /** How many requests it hits. */
  times: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })),
  /**
   * Only requests of this name, or of one in this list; absent means all. A name is a method of Stellar RPC
   * (`sendTransaction`), or a method and path of Horizon with `{id}` in place of what is named (`GET /ledgers/{id}`,
   * `POST /transactions`).
   */
  method: Schema.optionalKey(Schema.Union([Schema.NonEmptyString, Schema.NonEmptyArray(Schema.NonEmptyString)])),
  delay_ms: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 600_000 }))),
  lag_blocks: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))),
  garbage: Schema.optionalKey(Schema.Literals(["truncated", "invalid_json", "wrong_types"])),
  error_code: Schema.optionalKey(Schema.Int),
  error_message: Schema.optionalKey(Schema.String)
})

/** {@link StellarFault} as a type. */
export type StellarFault = typeof StellarFault.Type

/** Faults waiting for their requests, in the order in which they were asked for. */
export interface StellarFaultQueue {
  readonly add: (fault: StellarFault) => void
  readonly clear: () => void
  /** What is still to come, with the times left. */
  readonly pending: () => ReadonlyArray<StellarFault>
  /** The first fault that concerns a request of this name; it counts as having happened. */
  readonly take: (name: string) => StellarFault | undefined
}

const submissions: ReadonlySet<string> = new Set(["POST /transactions", "POST /transactions_async", "sendTransaction"])

const concerns = ({ kind, method }: StellarFault, name: string): boolean => {
  if (kind === "duplicate" && !submissions.has(name)) return false
  if (method === undefined) return true
  return typeof method === "string" ? method === name : method.includes(name)
}

/** An empty queue. */
export const makeQueue = (): StellarFaultQueue => {
  let waiting: ReadonlyArray<StellarFault> = []
  return {
    add: (fault) => {
      waiting = [...waiting, fault]
    },
    clear: () => {
      waiting = []
    },
    pending: () => waiting,
    take: (name) => {
      const found = waiting.find((fault) => concerns(fault, name))
      if (found === undefined) return undefined
      waiting = waiting.flatMap((fault) => {
        if (fault !== found) return [fault]
        return fault.times > 1 ? [{ ...fault, times: fault.times - 1 }] : []
      })
      return found
    }
  }
}
