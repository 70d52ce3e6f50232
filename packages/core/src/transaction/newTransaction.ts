import type { View } from "../engine/View.ts"
import type { OutboundTransaction } from "./OutboundTransaction.ts"

/** An outbound transaction as it begins: RESERVED at this moment, with nothing signed and nobody asking anything of it. */
export const newTransaction = (
  view: Pick<View, "now">,
  given: Pick<
    OutboundTransaction,
    | "id"
    | "network"
    | "purpose"
    | "walletId"
    | "from"
    | "guard"
    | "counterId"
    | "payments"
    | "trustlines"
    | "drain"
    | "salt"
  > &
    Partial<Pick<OutboundTransaction, "feeMax">>
): OutboundTransaction => ({
  feeMax: 0n,
  ...given,
  phase: "RESERVED",
  outcome: null,
  hashes: [],
  cancelled: [],
  givenUpAfter: null,
  signingUntil: null,
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
