/** A number to which an operation raised that of an account: it was bumped, made, or merged away, and made anew it begins past that. */
export interface Leap {
  readonly account: string
  readonly to: bigint
}

/** What an envelope says by itself: its hash, that of the transaction inside it where there is one, and whose number it uses up. */
export interface Envelope {
  readonly hash: string
  readonly inner: string
  readonly source: string
  readonly sequence: bigint
  /** What its operations raise the numbers of accounts to, if it succeeds in its ledger. */
  readonly leaps: ReadonlyArray<Leap>
}
