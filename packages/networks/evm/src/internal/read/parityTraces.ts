import { Schema } from "effect"
import { type CallFrame, tracedOf } from "./CallFrame.ts"
import type { Traced } from "./Traced.ts"
import { Address, Hash, Quantity } from "../rpc/wire.ts"

/** An entry of `trace_block`: one call of one transaction, in the order of execution, or a block reward without one. */
const Entry = Schema.Struct({
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
  traceAddress: Schema.Array(Schema.Int)
})

type Entry = typeof Entry.Type

const isEntry = Schema.is(Entry)

/** The answer of `trace_block`, as far as it says which entry belongs where. */
export const ParityTraces = Schema.Array(
  Schema.StructWithRest(Schema.Struct({ transactionHash: Schema.optional(Schema.NullOr(Hash)), blockHash: Hash }), [
    Schema.Record(Schema.String, Schema.Unknown)
  ])
)

interface Node extends CallFrame {
  readonly calls: Array<Node>
}

const nodeOf = ({ action, error, result, type }: Entry): Node | undefined => {
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
 * What `trace_block` says of one transaction, given its entries; undefined where one is malformed, of a kind that is not known,
 * or stands where its `traceAddress` says it cannot: then one is missing.
 */
export const readEntries = (entries: ReadonlyArray<unknown>): Traced | undefined => {
  let root: Node | undefined
  for (const entry of entries) {
    const node = isEntry(entry) ? nodeOf(entry) : undefined
    if (node === undefined || !isEntry(entry)) return undefined
    const place = entry.traceAddress.at(-1)
    if (place === undefined) {
      if (root !== undefined) return undefined
      root = node
      continue
    }
    let parent = root
    for (const step of entry.traceAddress.slice(0, -1)) parent = parent?.calls[step]
    if (parent === undefined || parent.calls.length !== place) return undefined
    parent.calls.push(node)
  }
  return root === undefined ? undefined : tracedOf(root)
}
