import { isOver } from "../operation/OperationMachine.ts"
import type { OperationKind } from "../operation/Operation.ts"
import type { Invariant } from "./Invariant.ts"

/** What brings money or corrects the books, for which a customer pays nothing. */
const free: ReadonlySet<OperationKind> = new Set(["ADJUSTMENT", "DEPOSIT", "REVERSAL"])

/** What leaves over a network that takes something for it. */
const overNetwork: ReadonlySet<OperationKind> = new Set(["CHAIN_PAYOUT", "WITHDRAWAL"])

/** What an operation says of fees can be so. How much was taken is held against its legs, by another rule. */
export const fees: Invariant = {
  name: "fees",
  rule: "the fee of every operation is in the operation's currency, and nothing where it brings money or corrects the books; what a network took is told of what has left over it, and of nothing else",
  run: () => ({
    operation: ({ amount, customerFee, id, kind, networkFee, status }) => {
      const said = `${kind} ${id} tells of`
      if (customerFee.currency !== amount.currency || customerFee.units < 0n)
        return `${said} a fee of ${customerFee.units} ${customerFee.currency}, it is in ${amount.currency}`
      if (free.has(kind) && customerFee.units !== 0n)
        return `${said} a fee of ${customerFee.units}, which it cannot have`
      if (networkFee !== null && networkFee.units < 0n) return `${said} less than nothing that a network took`
      return networkFee !== null && !(overNetwork.has(kind) && isOver(status))
        ? `${said} what a network took, it is ${status}`
        : undefined
    }
  })
}
