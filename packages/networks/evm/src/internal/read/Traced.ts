/** Coin that a call, a creation or a SELFDESTRUCT within a transaction has moved, in base units above zero. */
export interface Moved {
  readonly from: string
  readonly to: string
  readonly units: bigint
}

/** What a trace says of a transaction: the call that it is, and the coin that was moved within it, in the order of execution. */
export interface Traced {
  readonly from: string
  /** Null for a creation that failed. */
  readonly to: string | null
  readonly value: bigint
  readonly failed: boolean
  /** Without what was undone, and without what never was a payment. */
  readonly moves: ReadonlyArray<Moved>
}
