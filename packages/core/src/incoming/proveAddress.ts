import { sweepableKey, SweepableDeposit } from "../sweep/SweepableDeposit.ts"
import { countImports } from "../sweep/countImports.ts"
import { sweepableReads, addSweepable } from "../sweep/addSweepable.ts"
import { isFromOwnAddress, isOwnAddress } from "../deposit/ownTransfer.ts"
import { Result } from "effect"
import { creditConfirmed, creditConfirmedReads } from "../deposit/creditConfirmed.ts"
import { Deposit } from "../deposit/Deposit.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readGroup, readRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { AddressProof, subjectOf, xpubProofs, xpubSubject } from "../address/AddressProof.ts"
import { inCreditingOrder, UnprovenDeposit } from "../deposit/UnprovenDeposit.ts"
import { Xpub } from "../address/Xpub.ts"
import { DepositAddress } from "../address/DepositAddress.ts"
import { outOfReach } from "../environment/reach.ts"
import { ownRecords } from "../address/owners.ts"

/** A message and its signature, which whoever sends this has verified. */
export interface ProveAddress extends Omit<AddressProof, "provenAt" | "subject"> {
  /** Set where an account is proven, by the address at 0/0 of its extended public key. */
  readonly xpubId: string | null
  readonly subject: string
  /**
   * The deposits that were seen to wait for it, the first of them in the order in which they are credited (`inCreditingOrder`). Those that
   * wait besides are left to the next command.
   */
  readonly waiting: ReadonlyArray<UnprovenDeposit>
}

/** The proof, what it credited, and whether more deposits wait for it. */
export interface ProvenAddress {
  readonly proof: AddressProof
  readonly credited: ReadonlyArray<Deposit>
  readonly more: boolean
}

/**
 * Notes that a tenant has the key of an address or the account of an extended public key, and credits what was confirmed there and
 * waits for the proof, each deposit once; with it what was moved from there to other addresses of the tenant. Proving again changes nothing but to credit what waits still. Refused: an address or key that
 * the tenant does not have (`not_found`), and an address whose key the service holds (`state_conflict`).
 */
export const proveAddress = (command: ProveAddress, currencies: CurrencyTable): Command<ProvenAddress> => ({
  name: "ProveAddress",
  reads: [
    command.xpubId === null ? readGroup(DepositAddress, command.address) : readRecord(Xpub, command.xpubId),
    readRecord(AddressProof, command.subject),
    readGroup(AddressProof, xpubProofs),
    readGroup(UnprovenDeposit, command.subject),
    ...command.waiting.flatMap((one): ReadonlyArray<Read> => [
      readRecord(Deposit, { network: one.network, txHash: one.txHash, transferIndex: one.transferIndex }),
      readRecord(DepositAddress, one.addressId),
      ...creditConfirmedReads(one),
      ...sweepableReads(one)
    ])
  ],
  decide: (view) => {
    const { address, message, network, signature, subject, waiting, xpubId } = command
    if (xpubId === null) {
      const own = ownRecords(view, address)
      if (own.length === 0) {
        return Result.fail(new Refusal({ code: "not_found", message: "No such deposit address." }))
      }
      if (!own.some((record) => subjectOf(record, currencies.networks.of(record.network).family) === subject)) {
        return Result.fail(
          new Refusal({
            code: "state_conflict",
            message: "There is nothing to prove: the service holds the key, or the address is proven by its xpub."
          })
        )
      }
    } else if (view.get(Xpub, xpubId) === undefined || subject !== xpubSubject(xpubId)) {
      return Result.fail(new Refusal({ code: "not_found", message: "No such xpub." }))
    }
    const before = view.get(AddressProof, subject)
    const proof: AddressProof = before ?? { subject, network, address, message, signature, provenAt: view.now }
    const all = view.group(UnprovenDeposit, subject)
    const seen = new Set(waiting.map(({ depositId }) => depositId))
    const ordered = inCreditingOrder(all)
    const unseen = ordered.findIndex(({ depositId }) => !seen.has(depositId))
    const now = unseen < 0 ? ordered : ordered.slice(0, unseen)
    const changes: Array<Change> = before === undefined ? [putRecord(AddressProof, proof)] : []
    const credited: Array<Deposit> = []
    const onOwn = new Map<string, bigint>()
    for (const one of now) {
      const deposit = view.get(Deposit, one)
      const record = view.get(DepositAddress, one.addressId)
      changes.push(putRecord(UnprovenDeposit, { ...one, waits: false }))
      // what was reorged away is credited when it is confirmed again
      if (deposit?.status !== "CONFIRMED" || deposit.creditedBy !== null) continue
      // funds that may have been moved while nobody watched their address are not credited
      if (record === undefined || record.retiredAt !== null) continue
      if (outOfReach(view.tenant, currencies.networks.of(one.network)) !== undefined) continue
      // what went from one own address to another counts where it came from, and what is swept already is in the books
      const betweenOwn = isFromOwnAddress(view, one) && isOwnAddress(one.network, record.origin)
      if (betweenOwn || view.get(SweepableDeposit, sweepableKey(one)) !== undefined) continue
      const booked = creditConfirmed(view, currencies, deposit, record, onOwn)
      changes.push(...booked.changes, ...addSweepable(view, currencies, booked.deposit, record))
      credited.push(booked.deposit)
    }
    return Result.succeed({
      changes: countImports(view, changes),
      reply: { proof, credited, more: all.length > now.length }
    })
  }
})
