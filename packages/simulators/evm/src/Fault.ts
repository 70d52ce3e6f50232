import { Schema } from "effect"

/** The ways in which a node can let its caller down. */
export const FaultKind = Schema.Literals([
  "drop",
  "delay",
  "lost_reply",
  "empty",
  "lag",
  "refuse",
  "duplicate",
  "garbage"
])

/** {@link FaultKind} as a type. */
export type FaultKind = typeof FaultKind.Type

/**
 * A fault to come.
 *
 * **Details**
 *
 * - `drop`: breaks the connection; the node never sees the request.
 * - `delay`: waits `delay_ms` (1000), then answers truly.
 * - `lost_reply`: the node takes the request, the answer is dropped.
 * - `empty`: answers null, `[]` or `"0x"` as suits the method; the node never sees the call.
 * - `lag`: answers as a node that is `lag_blocks` (3) behind.
 * - `refuse`: answers the JSON-RPC error `error_code` (-32000), `error_message` ("refused"); the node never sees the
 *   call.
 * - `duplicate`: sends a raw transaction twice and gives the second answer. Applies to `eth_sendRawTransaction` alone.
 * - `garbage`: the node takes the request, the answer is spoilt as `garbage` says (`truncated`).
 */
export const Fault = Schema.Struct({
  kind: FaultKind,
  /** How many calls it hits; a fault of the connection counts a batch as one. */
  times: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })),
  /** Only calls of this JSON-RPC method, or of one in this list; absent means all. */
  method: Schema.optionalKey(Schema.Union([Schema.NonEmptyString, Schema.NonEmptyArray(Schema.NonEmptyString)])),
  delay_ms: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 600_000 }))),
  lag_blocks: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))),
  garbage: Schema.optionalKey(Schema.Literals(["truncated", "invalid_json", "wrong_types"])),
  error_code: Schema.optionalKey(Schema.Int),
  error_message: Schema.optionalKey(Schema.String)
})

/** {@link Fault} as a type. */
export type Fault = typeof Fault.Type

/** Faults waiting for their calls, in the order in which they were asked for. */
export interface FaultQueue {
  readonly add: (fault: Fault) => void
  readonly clear: () => void
  /** What is still to come, with the times left. */
  readonly pending: () => ReadonlyArray<Fault>
  /** The first fault of one of these kinds that concerns one of these methods; it counts as having happened. */
  readonly take: (kinds: ReadonlyArray<FaultKind>, methods: ReadonlyArray<string>) => Fault | undefined
}

const concerns = (fault: Fault, method: string) => {
  if (fault.kind === "duplicate" && method !== "eth_sendRawTransaction") return false
  if (fault.method === undefined) return true
  return typeof fault.method === "string" ? fault.method === method : fault.method.includes(method)
}

/** An empty queue. */
export const makeQueue = (): FaultQueue => {
  let waiting: ReadonlyArray<Fault> = []
  return {
    add: (fault) => {
      waiting = [...waiting, fault]
    },
    clear: () => {
      waiting = []
    },
    pending: () => waiting,
    take: (kinds, methods) => {
      const found = waiting.find(
        (fault) => kinds.includes(fault.kind) && methods.some((method) => concerns(fault, method))
      )
      if (found === undefined) return undefined
      waiting = waiting.flatMap((fault) => {
        if (fault !== found) return [fault]
        return fault.times > 1 ? [{ ...fault, times: fault.times - 1 }] : []
      })
      return found
    }
  }
}
