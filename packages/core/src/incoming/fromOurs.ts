import { DepositAddress } from "../address/DepositAddress.ts"
import { IssuingAccount } from "../address/IssuingAccount.ts"
import type { Sent } from "../deposit/ownTransfer.ts"
import type { Read } from "../engine/Read.ts"
import { readGroup, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { NetworkTable } from "../money/Network.ts"
import { PayoutWallet } from "../transaction/PayoutWallet.ts"

/** Who sent something, and on which network. */
type Sender = Pick<Sent, "fromAddress" | "network">

/** What `isFromWallet` reads. */
export const walletSenderReads = ({ fromAddress, network }: Sender): ReadonlyArray<Read> =>
  fromAddress === null ? [] : [readGroup(PayoutWallet, network)]

/** Whether a wallet of the tenant's sent it, from which nothing leaves but by transactions of our own. */
export const isFromWallet = (view: View, { fromAddress, network }: Sender): boolean =>
  fromAddress !== null && view.group(PayoutWallet, network).some(({ address }) => address === fromAddress)

/** What `isFromOurs` reads. */
export const oursReads = (sender: Sender, networks: NetworkTable): ReadonlyArray<Read> =>
  sender.fromAddress === null
    ? []
    : [
        ...walletSenderReads(sender),
        readGroup(DepositAddress, sender.fromAddress),
        readRecord(IssuingAccount, networks.of(sender.network).family)
      ]

/**
 * Whether an account of the tenant's sent it whose key the service alone has: a wallet, or what addresses are issued from. A key that was imported the
 * tenant has as well, so what came from there may be its own doing.
 */
export const isFromOurs = (view: View, sender: Sender, networks: NetworkTable): boolean => {
  const { fromAddress, network } = sender
  if (fromAddress === null) return false
  return (
    isFromWallet(view, sender) ||
    view.group(DepositAddress, fromAddress).some(({ origin }) => origin === "ISSUED") ||
    view.get(IssuingAccount, networks.of(network).family)?.accountKey === fromAddress
  )
}
