import * as TransferIndex from "../TransferIndex.ts"

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

/** The coin that a contract sent. */
export interface InternalTransfer {
  readonly transferIndex: number
  readonly from: string
  readonly to: string
  readonly units: bigint
}

/** The coin that contracts sent in a transaction, given the call that the transaction itself is. */
export const internalTransfers = (root: CallFrame): ReadonlyArray<InternalTransfer> => {
  const found: Array<InternalTransfer> = []
  let ordinal = 0
  const walk = (frames: ReadonlyArray<CallFrame>, undone: boolean) => {
    for (const frame of frames) {
      const lost = undone || frame.failed
      if (frame.kind !== "OTHER" && frame.value > 0n) {
        if (!lost && frame.to !== null) {
          found.push({
            transferIndex: TransferIndex.ofInternal(ordinal),
            from: frame.from,
            to: frame.to,
            units: frame.value
          })
        }
        ordinal++
      }
      walk(frame.calls, lost)
    }
  }
  walk(root.calls, root.failed)
  return found
}
