import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import type { Read } from "../engine/Read.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { credit, creditReads } from "./creditDeposit.ts"
import type { Deposit } from "./Deposit.ts"
import { intakeReads, takeIn } from "../sweep/takeIn.ts"
import { distinct } from "./distinct.ts"
import { moveDeposit } from "./moveDeposit.ts"

/** A deposit whose block was found, by its hash, at or above the depth that its network needs. */
export interface DeepEnough {
  readonly deposit: Deposit
  /** The hash under which the block was found: a deposit that has moved to another block since is left alone. */
  readonly blockHash: string
  readonly confirmations: number
}

/**
 * Confirms deposits of one tenant and credits them where the tenant's policy does; those on addresses whose keys the service holds
 * wait to be swept from then on. What is not DETECTED in the named
 * block any more is left as it is, so sending the command twice confirms and credits once. Replies with what moved.
 */
export const confirmDeposits = (
  found: ReadonlyArray<DeepEnough>,
  currencies: CurrencyTable
): Command<ReadonlyArray<Deposit>> => ({
  name: "ConfirmDeposits",
  reads: found.flatMap(({ deposit }): ReadonlyArray<Read> => [
    { _tag: "Deposit", network: deposit.network, txHash: deposit.txHash, transferIndex: deposit.transferIndex },
    { _tag: "Address", id: deposit.addressId },
    ...creditReads(deposit),
    ...intakeReads(deposit)
  ]),
  decide: (view) => {
    const changes: Array<Change> = []
    const deposits: Array<Deposit> = []
    const { policy } = view.tenant
    for (const each of distinct(found, ({ deposit }) => deposit)) {
      const {
        blockHash,
        confirmations,
        deposit: { network, transferIndex, txHash, addressId }
      } = each
      const deposit = view.deposit({ network, txHash, transferIndex })
      const address = view.address(addressId)
      if (deposit === undefined || address === undefined || deposit.block?.hash !== blockHash) continue
      const confirmed = { ...deposit, confirmations, confirmedAt: view.now }
      const moved = moveDeposit(view, currencies, deposit.status, "confirmed", confirmed)
      if (moved === undefined) continue
      changes.push(...moved.changes)
      const credited =
        moved.effects.includes("credit") &&
        policy.creditOrigins.includes(address.origin) &&
        (!deposit.historical || policy.creditHistorical)
      if (!credited) {
        changes.push(...takeIn(view, currencies, moved.deposit, address))
        deposits.push(moved.deposit)
        continue
      }
      const booked = credit(view, currencies, moved.deposit, address.origin)
      const final = { ...moved.deposit, creditedBy: booked.operation.id }
      changes.push(...booked.changes, { _tag: "DepositPut", deposit: final })
      changes.push(...takeIn(view, currencies, final, address))
      deposits.push(final)
    }
    return Result.succeed({ changes, reply: deposits })
  }
})
