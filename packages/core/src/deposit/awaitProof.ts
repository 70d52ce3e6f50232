import {
  addressSubject,
  type ProofSubject,
  subjectOf,
  xpubProofs,
  xpubSubject,
  AddressProof
} from "../address/AddressProof.ts"
import { UnprovenDeposit } from "./UnprovenDeposit.ts"
import type { DepositAddress } from "../address/DepositAddress.ts"
import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readGroup, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { NetworkTable } from "../money/Network.ts"
import type { Deposit } from "./Deposit.ts"
import { liveAddress } from "../address/owners.ts"

/** What finding out whether a deposit's address has been proven reads. */
export const proofReads = (
  { address, fromAddress, network }: Pick<Deposit, "address" | "fromAddress" | "network">,
  networks: NetworkTable
): ReadonlyArray<Read> => [
  ...[address, fromAddress].flatMap((one) =>
    one === null ? [] : [readRecord(AddressProof, addressSubject(networks.of(network).family, one))]
  ),
  readGroup(AddressProof, xpubProofs)
]

/** What the tenant has to prove before arrivals on an address count; undefined where it has, or does not have to. */
export const missingProof = (view: View, address: DepositAddress, networks: NetworkTable): ProofSubject | undefined => {
  const subject = subjectOf(address, networks.of(address.network).family)
  if (!view.tenant.policy.addressProofRequired || subject === undefined) return undefined
  const isProven =
    address.xpubId !== null && subject === xpubSubject(address.xpubId)
      ? view.group(AddressProof, xpubProofs).some((proof) => proof.subject === subject)
      : view.get(AddressProof, subject) !== undefined
  return isProven ? undefined : subject
}

/**
 * What the tenant has to prove before coins count that it has moved from an address of its own: that address. What waits there is
 * credited first, so that the same coins are not credited in both places. The command reads `ownTransferReads`.
 */
export const missingProofOfSender = (
  view: View,
  { fromAddress, network }: Pick<Deposit, "fromAddress" | "network">,
  networks: NetworkTable
): ProofSubject | undefined => {
  const sender = fromAddress === null ? undefined : liveAddress(view, network, fromAddress)?.record
  return sender === undefined ? undefined : missingProof(view, sender, networks)
}

/** Notes that a confirmed deposit is credited once its address has been proven. */
export const awaitProof = (deposit: Deposit, subject: ProofSubject): Change => {
  const { address, addressId, currency, fromAddress, id, network, transferIndex, txHash } = deposit
  return putRecord(UnprovenDeposit, {
    depositId: id,
    subject,
    addressId,
    address,
    network,
    txHash,
    transferIndex,
    currency,
    fromAddress,
    waits: true
  })
}
