import { Schema } from "effect"
import { type CallFrame, tracedOf } from "./CallFrame.ts"
import type { Traced } from "./Traced.ts"
import { Address, Quantity } from "../rpc/wire.ts"

/** The EVM allows 1024 calls within calls; a SELFDESTRUCT stands below the last. */
const depthMax = 1_025

const kinds: Readonly<Record<string, CallFrame["kind"]>> = {
  CALL: "CALL",
  CREATE: "CREATE",
  CREATE2: "CREATE",
  SELFDESTRUCT: "SELFDESTRUCT",
  DELEGATECALL: "OTHER",
  CALLCODE: "OTHER",
  STATICCALL: "OTHER"
}

const isAddress = Schema.is(Address)
const isQuantity = Schema.is(Quantity)

/**
 * Reads what geth's callTracer says of a call, undefined when it is malformed or of a kind that is not known. By hand, because
 * anybody can make a transaction a thousand calls deep and a schema would need more stack for it than there is.
 */
const frameOf = (value: unknown, depth = 0): CallFrame | undefined => {
  if (typeof value !== "object" || value === null || depth > depthMax) return undefined
  // An object whose fields are all still to be checked.
  const raw = value as Readonly<Record<string, unknown>>
  const kind = typeof raw["type"] === "string" ? kinds[raw["type"]] : undefined
  const from = raw["from"]
  const to = raw["to"] ?? null
  const units = raw["value"] ?? "0x0"
  const error = raw["error"] ?? ""
  const inner = raw["calls"] ?? []
  if (
    kind === undefined ||
    !isAddress(from) ||
    !isQuantity(units) ||
    typeof error !== "string" ||
    !Array.isArray(inner)
  ) {
    return undefined
  }
  if (to !== null && !isAddress(to)) return undefined
  const failed = error !== ""
  // Nothing but a creation that failed has no receiver.
  if (to === null && !(failed && kind === "CREATE")) return undefined
  const calls: Array<CallFrame> = []
  for (const call of inner) {
    const frame = frameOf(call, depth + 1)
    if (frame === undefined) return undefined
    calls.push(frame)
  }
  return { kind, from, to, value: BigInt(units), failed, calls }
}

/** Reads what the callTracer says of a transaction; undefined where it is malformed or has a call of a kind that is not known. */
export const readFrames = (answer: unknown): Traced | undefined => {
  const root = frameOf(answer)
  return root === undefined ? undefined : tracedOf(root)
}
