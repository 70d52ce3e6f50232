import type { View } from "../engine/View.ts"
import type { Spend } from "./Spend.ts"

/** A spend as it begins: RESERVED at this moment, with nothing signed and nobody asking anything of it. */
export const newSpend = (
  view: Pick<View, "now">,
  given: Pick<
    Spend,
    | "id"
    | "network"
    | "purpose"
    | "walletId"
    | "from"
    | "token"
    | "counterId"
    | "payments"
    | "agreesTo"
    | "drain"
    | "salt"
  >
): Spend => ({
  ...given,
  phase: "RESERVED",
  outcome: null,
  hashes: [],
  feeMax: 0n,
  cancelled: [],
  problem: null,
  reservedAt: view.now,
  signedAt: null,
  sentAt: null,
  asked: null,
  lastSentAt: null,
  blockNumber: null,
  fee: null,
  freed: [],
  endedAt: null
})
