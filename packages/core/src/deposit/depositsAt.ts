import type { View } from "../engine/View.ts"
import { Deposit } from "./Deposit.ts"

/** The tenant's own deposits on an address, on all networks, by `changeSeq`. Read the group of the address. */
export const depositsAt = (view: View, address: string): ReadonlyArray<Deposit> =>
  view.group(Deposit, address).toSorted((one, other) => one.changeSeq - other.changeSeq)
