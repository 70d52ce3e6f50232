import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import type { Read } from "../engine/Read.ts"
import type { View } from "../engine/View.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { awaitProof, missingProof, missingProofOfSender, proofReads } from "../deposit/awaitProof.ts"
import { creditConfirmed, creditConfirmedReads } from "../deposit/creditConfirmed.ts"
import { Deposit } from "../deposit/Deposit.ts"
import { countImports } from "../sweep/countImports.ts"
import { sweepableReads, addSweepable } from "../sweep/addSweepable.ts"
import { distinct } from "../deposit/distinct.ts"
import { isFromOwnAddress, isOwnAddress } from "../deposit/ownTransfer.ts"
import { moveDeposit } from "../deposit/moveDeposit.ts"
import { sourceReads, type Undecided, waitingForSource } from "../deposit/undecided.ts"
import { DepositAddress } from "../address/DepositAddress.ts"
import { wasAssigned } from "../operation/bookedArrival.ts"
import { topUpReads, whetherTopUp } from "./topUps.ts"
import { reorgOne } from "./reorgOne.ts"
import { outOfReach } from "../environment/reach.ts"
import { readRecord } from "../engine/Records.ts"

/** A deposit whose block was found, by its hash, at or above the depth that its network needs. */
export interface DeepEnough {
  readonly deposit: Deposit
  /** The hash under which the block was found: a deposit that has moved to another block since is left alone. */
  readonly blockHash: string
  readonly confirmations: number
}

/** What the tenant moves was credited first where it came from: from outside, then between its own addresses, then away from them. */
const stepOf = (view: View, deposit: Deposit): number => {
  if (!isFromOwnAddress(view, deposit)) return 0
  const origin = view.get(DepositAddress, deposit.addressId)?.origin
  return origin !== undefined && isOwnAddress(deposit.network, origin) ? 1 : 2
}

/** Whether what is known of a deposit is what was found, as far as what was read hangs on it: nodes may have corrected it since. */
const isAsNamed = (deposit: Deposit, named: Deposit): boolean =>
  deposit.addressId === named.addressId &&
  deposit.fromAddress === named.fromAddress &&
  deposit.currency === named.currency

/**
 * Confirms deposits of one tenant and credits them where the tenant's policy does; those on addresses whose keys the service holds
 * wait to be swept from then on, and those on
 * addresses that are yet to be proven (`proveAddress`) are confirmed and wait for that. What operators have assigned, as it was credited to nobody in a
 * block that is gone, is not credited, whatever it brings now. Coins that the tenant moves from an address of its own, where they were credited, are not credited
 * again (`ownPart`), and wait for as long as what came there before is `undecided` (`waitingForSource`). What may be coin of ours for network fees waits until that is known (`whetherTopUp`), and is
 * REORGED where it was: it was here before. What is not DETECTED in the named
 * block any more is left as it is, so sending the command twice confirms and credits once. Replies with what moved.
 */
export const confirmDeposits = (
  found: ReadonlyArray<DeepEnough>,
  currencies: CurrencyTable,
  undecided: Undecided
): Command<ReadonlyArray<Deposit>> => ({
  name: "ConfirmDeposits",
  reads: [
    ...found.flatMap(({ deposit }): ReadonlyArray<Read> => [
      readRecord(Deposit, { network: deposit.network, txHash: deposit.txHash, transferIndex: deposit.transferIndex }),
      readRecord(DepositAddress, deposit.addressId),
      ...creditConfirmedReads(deposit),
      ...sweepableReads(deposit),
      ...topUpReads(deposit),
      ...proofReads(deposit, currencies.networks)
    ]),
    ...sourceReads(
      found.map(({ deposit }) => deposit),
      undecided
    )
  ],
  decide: (view) => {
    const changes: Array<Change> = []
    const deposits: Array<Deposit> = []
    const { policy } = view.tenant
    const { networks } = currencies
    const onOwn = new Map<string, bigint>()
    const there: Array<Pick<DeepEnough, "confirmations" | "deposit">> = []
    const elsewhere: Array<Deposit> = []
    for (const { blockHash, confirmations, deposit: named } of distinct(found, ({ deposit }) => deposit)) {
      const deposit = view.get(Deposit, named)
      if (deposit?.status !== "DETECTED") continue
      if (deposit.block?.hash === blockHash && isAsNamed(deposit, named)) there.push({ confirmations, deposit })
      else elsewhere.push(deposit)
    }
    const waiting = waitingForSource(
      view,
      there.map(({ deposit }) => deposit),
      { ...undecided, deposits: [...undecided.deposits, ...elsewhere] }
    )
    const ordered = there
      .filter(({ deposit }) => !waiting.has(deposit))
      .toSorted((one, other) => stepOf(view, one.deposit) - stepOf(view, other.deposit))
    for (const { confirmations, deposit } of ordered) {
      const { network } = deposit
      const address = view.get(DepositAddress, deposit.addressId)
      if (address === undefined) continue
      const topUp = whetherTopUp(view, deposit, currencies)
      if (topUp === "unknown") continue
      const gone = topUp === "yes" ? reorgOne(view, currencies, deposit, address) : undefined
      if (gone !== undefined) {
        changes.push(...gone.changes)
        deposits.push(gone.deposit)
        continue
      }
      const confirmed = { ...deposit, confirmations, confirmedAt: view.now }
      const moved = moveDeposit(view, currencies, deposit.status, "confirmed", confirmed)
      if (moved === undefined) continue
      changes.push(...moved.changes)
      const credited =
        moved.effects.includes("credit") &&
        outOfReach(view.tenant, networks.of(network)) === undefined &&
        policy.creditOrigins.includes(address.origin) &&
        (!deposit.historical || policy.creditHistorical) &&
        // what was for nobody in a block that is gone, and was assigned since, is the tenant's already; where it brings something else
        // now, the float has what is gone: how much of this is the tenant's beside that is for operators to say
        !wasAssigned(view, deposit.txHash, deposit.id)
      if (!credited) {
        changes.push(...addSweepable(view, currencies, moved.deposit, address))
        deposits.push(moved.deposit)
        continue
      }
      const missing = missingProof(view, address, networks) ?? missingProofOfSender(view, moved.deposit, networks)
      if (missing !== undefined) {
        changes.push(awaitProof(moved.deposit, missing))
        deposits.push(moved.deposit)
        continue
      }
      const booked = creditConfirmed(view, currencies, moved.deposit, address, onOwn)
      changes.push(...booked.changes, ...addSweepable(view, currencies, booked.deposit, address))
      deposits.push(booked.deposit)
    }
    return Result.succeed({ changes: countImports(view, changes), reply: deposits })
  }
})
