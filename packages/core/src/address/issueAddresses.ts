import { keyReads, keyAvailability } from "./keyAvailability.ts"
import { Result } from "effect"
import { schedule } from "../engine/Job.ts"
import type { Command } from "../engine/Command.ts"
import { Refusal } from "../base/Refusal.ts"
import type { Network, NetworkTable } from "../money/Network.ts"
import { provisioningItem, provisioningQueue } from "../transaction/queues.ts"
import {
  type PrederivedAddresses,
  prederivedReads,
  stale,
  reserveIndexes,
  issuedAddress
} from "./prederivedAddresses.ts"
import type { DepositAddress } from "./DepositAddress.ts"
import { IssuingAccount } from "./IssuingAccount.ts"
import type { KeyName } from "../engine/Directory.ts"
import { refuseReach } from "../environment/reach.ts"
import { holdOf } from "./holdOf.ts"
import { indexMax } from "./Xpub.ts"
import { readRecord, putRecord } from "../engine/Records.ts"
import { liveAddress } from "./owners.ts"

/** How many addresses to issue, with those computed beforehand from the account of a seed. */
export interface IssueAddresses {
  readonly network: Network
  readonly reference: string
  readonly count: number
  readonly prederived: PrederivedAddresses & {
    readonly seedId: string
    readonly accountKey: string
    /** What the network calls the account of this key. */
    readonly accountName: KeyName
  }
}

/** The addresses, and the account with the index that comes next. */
export interface IssuedAddresses {
  readonly account: IssuingAccount
  readonly addresses: ReadonlyArray<DepositAddress>
}

/**
 * Registers the next `count` addresses of the tenant's seed under one reference, whose keys the service holds; all or none.
 *
 * **Details**
 *
 * The index counts per family of networks: an address that is issued on one EVM network is never issued on another under
 * another reference, because whoever pays it on the wrong one of them pays the same key. Sweeping is held (ISSUANCE) where the
 * tenant's policy says so. Refused: a network of another environment (`product_not_enabled`), an address whose key is another tenant's (`address_unavailable`); `stale` where the
 * candidates are not the next ones.
 */
export const issueAddresses = (
  { prederived, count, network, reference }: IssueAddresses,
  networks: NetworkTable
): Command<IssuedAddresses> => ({
  name: "IssueAddresses",
  reads: [
    readRecord(IssuingAccount, networks.of(network).family),
    { _tag: "LiveAddress", network, address: prederived.accountKey },
    ...keyReads([prederived.accountName]),
    ...prederivedReads(network, prederived)
  ],
  decide: (view) => {
    const { family, provisioned } = networks.of(network)
    const foreign = refuseReach(view.tenant, networks.of(network))
    if (foreign !== undefined) return Result.fail(foreign)
    const { accountKey, accountName, seedId } = prederived
    const before: IssuingAccount = view.get(IssuingAccount, family) ?? {
      tenantId: view.tenant.id,
      family,
      seedId,
      accountKey,
      nextIndex: 0,
      createdAt: view.now
    }
    if (before.seedId !== seedId || before.accountKey !== accountKey) return Result.fail(stale())
    if (keyAvailability(view, [accountName])._tag === "Unavailable") {
      return Result.fail(
        new Refusal({
          code: "address_unavailable",
          message: "The account is registered elsewhere; nothing was registered."
        })
      )
    }
    const taken = reserveIndexes(view, network, prederived, {
      nextIndex: before.nextIndex,
      indexTo: indexMax,
      count,
      holder: "SERVICE"
    })
    if (Result.isFailure(taken)) return Result.fail(taken.failure)
    const account: IssuingAccount = { ...before, nextIndex: taken.success.nextIndex }
    const sweepHold = view.tenant.policy.holdOnIssuance
      ? holdOf("ISSUANCE", "Held when the address was issued.", view.now)
      : null
    const issued = taken.success.addresses.map(({ address, index, keys }) =>
      issuedAddress(
        view,
        {
          network,
          address,
          reference,
          origin: "ISSUED",
          xpubId: null,
          seedId,
          derivationIndex: index,
          sweepHold
        },
        keys
      )
    )
    // the account that the addresses are parts of has to be made before anybody can pay them
    const first = view.get(IssuingAccount, family) === undefined && provisioned
    return Result.succeed({
      changes: [
        putRecord(IssuingAccount, account),
        { _tag: "KeysClaimed", keys: [accountName], holder: "SERVICE", by: seedId },
        ...issued.flatMap(({ changes }) => changes),
        ...(first ? [schedule(provisioningQueue(network), provisioningItem, view.now)] : []),
        // what comes to the account and names none of its parts is the tenant's to be asked about, and nobody else's
        ...(provisioned && liveAddress(view, network, accountKey) === undefined
          ? [{ _tag: "AddressClaimed", network, address: accountKey, addressId: seedId, wallet: true } as const]
          : [])
      ],
      reply: { account, addresses: issued.map(({ record }) => record) }
    })
  }
})
