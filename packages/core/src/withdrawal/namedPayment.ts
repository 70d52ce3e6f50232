import { toldHash } from "../custody/toldHash.ts"
import type { Change } from "../engine/Change.ts"
import type { View } from "../engine/View.ts"
import type { NetworkTable } from "../money/Network.ts"
import type { Operation } from "../operation/Operation.ts"
import type { WithdrawalState } from "../port/Custodian.ts"
import type { ProviderResult } from "../port/ProviderResult.ts"
import type { ProviderOrder } from "../custody/ProviderOrder.ts"
import { claimPayments, type PartOf, provingPayments } from "./paymentOf.ts"

/** What a custodian says of a withdrawal, and how payments on its network are known. */
export interface CustodianWord {
  readonly answer: ProviderResult<WithdrawalState>
  readonly networks: NetworkTable
  readonly partOf: PartOf
}

/** The transaction by which a custodian says that an order is settled, as the withdrawal's network writes it; undefined where it names none. */
export const namedBy = (
  { network }: Operation,
  { answer, networks }: Pick<CustodianWord, "answer" | "networks">
): string | undefined =>
  answer._tag !== "Done" || answer.value._tag !== "Settled" || answer.value.txHash === null || network === null
    ? undefined
    : toldHash(networks.of(network), answer.value.txHash)

/** The payments of that transaction of which each would prove the withdrawal. */
export const namedPayments = (operation: Operation, word: CustodianWord): ReadonlyArray<ProviderOrder> => {
  const txHash = namedBy(operation, word)
  return txHash === undefined ? [] : provingPayments(operation, txHash, word.partOf)
}

/**
 * Keeps what a custodian names of a withdrawal that does not settle by it: that carries out no other withdrawal by operators' word any more. What it has
 * paid is noted with this one, and operators book it there. The command reads the payments (`paymentReads`).
 */
export const claimNamed = (view: View, operation: Operation, word: CustodianWord): ReadonlyArray<Change> =>
  claimPayments(view, namedPayments(operation, word), "custodian")
