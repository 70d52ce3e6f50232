import { demux } from "../../Address.ts"

/** The account of an address, muxed or not. */
export const accountOf = (address: string): string => demux(address)?.account ?? address

/** A path payment: the assets that leave and arrive, how many others are named on the way, and the two sides. */
export interface Way {
  readonly sent: string | undefined
  readonly arrived: string | undefined
  readonly between: number
  readonly from: string
  readonly to: string
}

/**
 * The sender of a path payment, where it has lost of the asset just what arrives; otherwise null: that came from those who sold it. So did what comes back
 * to the asset on a way through others, of which another amount was sent. What an account changes so for itself is left its own: it is no arrival.
 */
export const payerOf = ({ arrived, between, from, sent, to }: Way): string | null =>
  sent === arrived && (between === 0 || accountOf(from) === accountOf(to)) ? from : null
