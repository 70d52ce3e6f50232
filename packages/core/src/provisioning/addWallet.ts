import { keyReads } from "../address/keyAvailability.ts"
import { Result } from "effect"
import type { KeyName } from "../engine/Directory.ts"
import { schedule } from "../engine/Job.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readGroup } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import type { Network, NetworkTable, NetworkTraits } from "../money/Network.ts"
import { type CustodiedKey, firstWallet, PayoutWallet, type WalletRole } from "../transaction/PayoutWallet.ts"
import { provisioningItem, provisioningQueue } from "../transaction/queues.ts"
import { refuseReach } from "../environment/reach.ts"
import { liveAddress } from "../address/owners.ts"

interface NewWallet {
  readonly network: Network
  readonly role: WalletRole
  /** Whether it is to pay beside one that is there. False where absent. */
  readonly another?: boolean
  readonly index: number
  /** Canonical. */
  readonly address: string
  /** The names of its key. */
  readonly keys: ReadonlyArray<KeyName>
}

/**
 * An account to pay from, with the address that its key has; the vault gave the public side of that key, which is of a seed or in a
 * custody.
 */
export type AddWallet = NewWallet &
  (
    | { readonly seedId: string; readonly custodied?: undefined }
    | { readonly seedId?: undefined; readonly custodied: CustodiedKey }
  )

/** The index of a tenant's first payout wallet; channel accounts and other payout wallets follow on it. */
export const payoutWalletIndex = 0

/** The index that the next account of a role gets on a network, among those that are there; of the payout wallet that is there, unless `another` is asked for. */
export const nextWalletIndex = (wallets: ReadonlyArray<PayoutWallet>, role: WalletRole, another = false): number =>
  role === "PAYOUT" && (!another || firstWallet(wallets) === undefined)
    ? payoutWalletIndex
    : Math.max(payoutWalletIndex, ...wallets.map(({ index }) => index)) + 1

/** Why a network takes no second payout wallet; undefined where it does: each has numbers of its own, and what is stuck holds up only what follows on it. */
export const otherWalletObjection = ({ accountModel, name }: NetworkTraits): string | undefined =>
  accountModel === "nonce"
    ? undefined
    : `On ${name} a second payout wallet would pay nothing that the first cannot: no transaction of it waits for the number of another.`

/**
 * Adds a wallet, or gives the one that is there already with this address. Its address and its key are claimed, so nobody can
 * register it, in whichever form and nobody can be paid there. On stellar it is set up next. Refused: a network of another environment (`product_not_enabled`); a second payout wallet that is not asked for as `another`, or on a network where transactions
 * of an account do not follow on each other, or another address of the same index (`state_conflict`); an address or a key that somebody has (`address_unavailable`); `stale` where the index is not the next.
 */
export const addWallet = (
  { address, another = false, custodied, index, keys, network, role, seedId }: AddWallet,
  networks: NetworkTable
): Command<PayoutWallet> => ({
  name: "AddWallet",
  reads: [readGroup(PayoutWallet, network), { _tag: "LiveAddress", network, address }, ...keyReads(keys)],
  decide: (view) => {
    const foreign = refuseReach(view.tenant, networks.of(network))
    if (foreign !== undefined) return Result.fail(foreign)
    const wallets = view.group(PayoutWallet, network)
    const there = wallets.find((wallet) => wallet.address === address)
    if (there !== undefined) {
      return there.role === role
        ? Result.succeed({ changes: [], reply: there })
        : Result.fail(
            new Refusal({ code: "state_conflict", message: `The address is that of a ${there.role} wallet.` })
          )
    }
    if (role === "PAYOUT" && firstWallet(wallets) !== undefined) {
      const message = another ? otherWalletObjection(networks.of(network)) : `There is a payout wallet on ${network}.`
      if (message !== undefined) return Result.fail(new Refusal({ code: "state_conflict", message }))
    }
    if (index !== nextWalletIndex(wallets, role, another)) {
      return Result.fail(new Refusal({ code: "stale", message: "The key is not the next one of the wallet." }))
    }
    // the same key may be a wallet of the tenant on a sibling, and is nothing else besides
    const taken = keys.some((key) => {
      const found = view.keyOwner(key)
      return found !== undefined && (found.owner !== view.tenant.id || found.holder !== "WALLET")
    })
    if (taken || liveAddress(view, network, address) !== undefined) {
      return Result.fail(new Refusal({ code: "address_unavailable", message: "The address is registered." }))
    }
    const wallet: PayoutWallet = {
      id: view.newId(),
      network,
      role,
      address,
      seedId: seedId ?? null,
      custodied: custodied ?? null,
      index,
      nextSequence: null,
      nextSalt: 1,
      openTransactions: 0,
      committed: [],
      createdAt: view.now
    }
    return Result.succeed({
      changes: [
        putRecord(PayoutWallet, wallet),
        { _tag: "AddressClaimed", network, address, addressId: wallet.id, wallet: true },
        { _tag: "KeysClaimed", keys, holder: "WALLET", by: wallet.id },
        ...(networks.of(network).provisioned ? [schedule(provisioningQueue(network), provisioningItem, view.now)] : [])
      ],
      reply: wallet
    })
  }
})
