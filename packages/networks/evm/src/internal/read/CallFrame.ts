import type { Moved, Traced } from "./Traced.ts"

/**
 * A call that a transaction made, or the transaction itself. `OTHER` moves no coin to anybody: DELEGATECALL and CALLCODE run
 * foreign code on the caller's own account, whatever value the trace shows (blockbook#1225), and STATICCALL has none.
 */
export interface CallFrame {
  readonly kind: "CALL" | "CREATE" | "SELFDESTRUCT" | "OTHER"
  readonly from: string
  /** Null for a creation that failed. */
  readonly to: string | null
  readonly value: bigint
  /** Whether it ended with an error, which undoes it and all calls below it. */
  readonly failed: boolean
  readonly calls: ReadonlyArray<CallFrame>
}

/** What a tree of calls says of its transaction, whose own call is the root. */
export const tracedOf = (root: CallFrame): Traced => {
  const moves: Array<Moved> = []
  const walk = (frames: ReadonlyArray<CallFrame>) => {
    for (const { calls, failed, from, kind, to, value } of frames) {
      if (failed) continue
      if (kind !== "OTHER" && value > 0n && to !== null) moves.push({ from, to, units: value })
      walk(calls)
    }
  }
  if (!root.failed) walk(root.calls)
  const { failed, from, to, value } = root
  return { from, to, value, failed, moves }
}
