import type { Read } from "../engine/Read.ts"
import { readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { type BlockPoint, Deposit } from "./Deposit.ts"
import { isFromOwnAddress, type Sent } from "./ownTransfer.ts"

/** What came to a tenant's addresses and is neither confirmed nor given up, as far as it is known. */
export interface Undecided {
  readonly deposits: ReadonlyArray<Deposit>
  /** From the block of this number on there may be others, which are not named. Null where all are. */
  readonly from: number | null
}

/** All that came is decided. */
export const nothingUndecided: Undecided = { deposits: [], from: null }

/** Something that arrived at an address, and the block that it arrived in. */
export interface Arrived extends Omit<Sent, "units"> {
  readonly address: string
  readonly block: Pick<BlockPoint, "number"> | null
}

const placeOf = ({ currency, network }: Pick<Sent, "currency" | "network">, address: string | null): string =>
  `${network}|${currency}|${address}`

/** Those from which some of these arrivals may have come. */
const sourcesOf = (arrived: ReadonlyArray<Arrived>, { deposits }: Undecided): ReadonlyArray<Deposit> => {
  const from = new Set(arrived.map((one) => placeOf(one, one.fromAddress)))
  return deposits.filter((deposit) => from.has(placeOf(deposit, deposit.address)))
}

/** What `waitingForSource` reads, besides what `isFromOwnAddress` does. */
export const sourceReads = (arrived: ReadonlyArray<Arrived>, undecided: Undecided): ReadonlyArray<Read> =>
  sourcesOf(arrived, undecided).map((deposit) => readRecord(Deposit, deposit))

/**
 * Those of some arrivals that have to wait: the tenant has moved them from an address of its own, and what came to that address by then
 * counts for nothing yet. Were they counted first, nothing would say that they are the same coins when the others count, and the float
 * would get them in both places.
 */
export const waitingForSource = <A extends Arrived>(
  view: View,
  arrived: ReadonlyArray<A>,
  undecided: Undecided
): ReadonlySet<A> => {
  /** The first block in which something that is undecided came to each place. */
  const first = new Map<string, number>()
  const note = (one: Arrived): void => {
    if (one.block === null) return
    const place = placeOf(one, one.address)
    first.set(place, Math.min(first.get(place) ?? Infinity, one.block.number))
  }
  for (const deposit of sourcesOf(arrived, undecided)) {
    const known = view.get(Deposit, deposit)
    if (known?.status === "DETECTED") note(known)
  }
  const waits = (one: A): boolean =>
    one.block !== null &&
    Math.min(first.get(placeOf(one, one.fromAddress)) ?? Infinity, undecided.from ?? Infinity) <= one.block.number
  const waiting = new Set<A>()
  let rest = arrived.filter((one) => isFromOwnAddress(view, one))
  for (;;) {
    const more = rest.filter(waits)
    if (more.length === 0) return waiting
    // what waits may have been moved on from where it came to
    for (const one of more) {
      waiting.add(one)
      note(one)
    }
    rest = rest.filter((one) => !waiting.has(one))
  }
}
