import { Schema } from "effect"
import type { CallFrame } from "./CallFrame.ts"
import { Address, Hash, Quantity } from "./wire.ts"

/** An entry of `trace_block`: one call of one transaction, in the order of execution, or a block reward without one. */
export const ParityTrace = Schema.Struct({
  type: Schema.Literals(["call", "create", "suicide", "reward"]),
  action: Schema.Struct({
    callType: Schema.optional(Schema.NullOr(Schema.String)),
    from: Schema.optional(Schema.NullOr(Address)),
    to: Schema.optional(Schema.NullOr(Address)),
    value: Schema.optional(Schema.NullOr(Quantity)),
    address: Schema.optional(Schema.NullOr(Address)),
    refundAddress: Schema.optional(Schema.NullOr(Address)),
    balance: Schema.optional(Schema.NullOr(Quantity))
  }),
  result: Schema.optional(Schema.NullOr(Schema.Struct({ address: Schema.optional(Schema.NullOr(Address)) }))),
  error: Schema.optional(Schema.NullOr(Schema.String)),
  traceAddress: Schema.Array(Schema.Int),
  transactionHash: Schema.optional(Schema.NullOr(Hash)),
  blockHash: Hash
})

/** {@link ParityTrace} as a type. */
export type ParityTrace = typeof ParityTrace.Type

/** The answer of `trace_block`. */
export const ParityTraces = Schema.Array(ParityTrace)

interface Node extends CallFrame {
  readonly calls: Array<Node>
}

const nodeOf = ({ action, error, result, type }: ParityTrace): Node | undefined => {
  const failed = (error ?? "") !== ""
  if (type === "suicide") {
    const { address, balance, refundAddress } = action
    if (!address || !refundAddress || !balance) return undefined
    return { kind: "SELFDESTRUCT", from: address, to: refundAddress, value: BigInt(balance), failed, calls: [] }
  }
  const { callType, from, value } = action
  const to = (type === "create" ? result?.address : action.to) ?? null
  if (!from || !value || (to === null && !(failed && type === "create"))) return undefined
  if (type === "create") return { kind: "CREATE", from, to, value: BigInt(value), failed, calls: [] }
  return { kind: callType === "call" ? "CALL" : "OTHER", from, to, value: BigInt(value), failed, calls: [] }
}

/**
 * The calls of each transaction as a tree, by the transaction's hash in lower case. Undefined when an entry is malformed, or
 * stands where its `traceAddress` says it cannot: then one is missing.
 */
export const treesOf = (traces: ReadonlyArray<ParityTrace>): ReadonlyMap<string, CallFrame> | undefined => {
  const roots = new Map<string, Node>()
  for (const trace of traces) {
    if (trace.type === "reward") continue
    const hash = trace.transactionHash?.toLowerCase()
    const node = nodeOf(trace)
    if (hash === undefined || node === undefined) return undefined
    const place = trace.traceAddress.at(-1)
    if (place === undefined) {
      if (roots.has(hash)) return undefined
      roots.set(hash, node)
      continue
    }
    let parent = roots.get(hash)
    for (const step of trace.traceAddress.slice(0, -1)) parent = parent?.calls[step]
    if (parent === undefined || parent.calls.length !== place) return undefined
    parent.calls.push(node)
  }
  return roots
}
