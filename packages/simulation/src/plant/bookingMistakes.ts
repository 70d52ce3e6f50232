import type { Change } from "@bursar/core/engine/Change"
import type { Account } from "@bursar/core/ledger/Account"
import type { Leg } from "@bursar/core/ledger/Leg"
import type { Plant } from "../world/Plant.ts"
import { changing } from "./planting.ts"

/** Legs of a command that are booked in another account than theirs, where a line is so. */
const misbooked = (name: string, is: (leg: Leg) => boolean, account: Account): Plant =>
  changing([name], (changes) =>
    changes.map((change): Change =>
      change._tag === "Posted"
        ? { ...change, legs: change.legs.map((leg) => (is(leg) ? { ...leg, account } : leg)) }
        : change
    )
  )

/** Mistakes in what is booked where: the books are balanced, every place is right, and the partner has what is due. */
export const bookingMistakes = {
  "cost of a withdrawal booked as a loss of fees": misbooked(
    "RecordWithdrawal",
    ({ account }) => account === "network_fees",
    "fees"
  ),
  "gain of a swap left in the exchange": misbooked(
    "RecordSwap",
    ({ account, what }) => account === "fees" && what === "convert_in",
    "exchange"
  ),
  "fee of the custodian left in the exchange": misbooked(
    "RecordSwap",
    ({ account, what }) => account === "fees" && what === "convert_out",
    "exchange"
  )
} as const satisfies Readonly<Record<string, Plant>>
