/** What an envelope says by itself: its hash, that of the transaction inside it where there is one, and whose number it uses up. */
export interface Envelope {
  readonly hash: string
  readonly inner: string
  readonly source: string
  readonly sequence: bigint
}
