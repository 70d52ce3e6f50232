import type { JournalSubject } from "@bursar/core/store/Journal"

/**
 * The product that a posting belongs to: a kind of operation, `INTAKE` for bringing deposits in, or `WALLETS` for keeping wallets able
 * to pay. A payout that several operations share is one of theirs.
 */
export const productOf = ({ kind }: Pick<JournalSubject, "kind">): string => {
  switch (kind) {
    case "SWEEP":
    case "TOP_UP":
      return "INTAKE"
    case "PAYOUT":
      return "CHAIN_PAYOUT"
    case "CANCEL":
    case "CHANNEL":
    case "PROVISIONING":
      return "WALLETS"
    case null:
      return "UNKNOWN"
    default:
      return kind
  }
}
