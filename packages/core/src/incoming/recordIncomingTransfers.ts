import { Result } from "effect"
import { newAddressChanges } from "../address/prederivedAddresses.ts"
import { DepositAddress } from "../address/DepositAddress.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import type { KeyName } from "../engine/Directory.ts"
import type { Read } from "../engine/Read.ts"
import { readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Network } from "../money/Network.ts"
import { attemptOf, attemptReads } from "./attemptOf.ts"
import { arrivalHold } from "../deposit/arrivalHold.ts"
import { creditReads } from "../deposit/creditDeposit.ts"
import { type BlockPoint, Deposit, type DepositIdentity } from "../deposit/Deposit.ts"
import { countImports } from "../sweep/countImports.ts"
import { sweepableReads } from "../sweep/addSweepable.ts"
import { distinct } from "../deposit/distinct.ts"
import { moveDeposit } from "../deposit/moveDeposit.ts"
import { reorgOne } from "./reorgOne.ts"
import { outOfReach } from "../environment/reach.ts"
import { blockTimeSlackMsDefault } from "../port/Chain.ts"
import { liveAddress } from "../address/owners.ts"

/** A transfer found in a verified block, or waiting for one, to an address that was found to be the tenant's. */
export interface IncomingTransfer extends DepositIdentity {
  /** As in `Transfer`: not stored, as a deposit keeps the hash under which the network lists it. */
  readonly innerHash?: string
  /** The address record that matched; on another network of the same key where the tenant did not register this one. */
  readonly addressId: string
  readonly address: string
  /** The names of the key behind the address, for the record that is added where the tenant did not register this network. */
  readonly keys: ReadonlyArray<KeyName>
  readonly currency: string
  readonly units: bigint
  readonly fromAddress: string | null
  /** Null while its transaction waits for a block. Such a deposit never counts. */
  readonly block: BlockPoint | null
  readonly confirmations: number
}

/** What to record, with what the network needs until it counts. */
export interface RecordIncomingTransfers {
  readonly network: Network
  readonly requiredConfirmations: number
  /**
   * How far a block's timestamp may lie before the moment at which transactions could still enter it, in milliseconds.
   * Default 15,000.
   */
  readonly blockTimeSlackMs?: number | undefined
  /**
   * `first`: the block was not known before. One that took another's place is not historical by its height, even where that height was
   * known when an address was registered. `agreed`: nodes of two operators say this of the block, and what was recorded of it otherwise and
   * counts for nothing yet gives way. Default `again`.
   */
  readonly reading?: "first" | "again" | "agreed"
  /** The newest block when this watcher began to read, of a node that kept up; null or absent where it is not known. */
  readonly begunAt?: number | null
  readonly incomingTransfers: ReadonlyArray<IncomingTransfer>
}

/**
 * Whether an arrival was mined before its address was registered: in a block that was known of by then, or by time where that cannot be
 * told from its height. One height says nothing of another network, so a sibling's address is judged by time, and nothing of a block that
 * took the place of the one that was known. Where nothing of the network had been read by then, the watcher began later: what was mined since
 * came after that, whatever clocks say. What still waits for a block was not.
 */
const isHistorical = (
  address: DepositAddress,
  block: BlockPoint | null,
  { begunAt, blockTimeSlackMs = blockTimeSlackMsDefault, network, reading = "again" }: RecordIncomingTransfers
): boolean => {
  if (block === null) return false
  const isHeightKnown = address.registeredAtBlock !== null && address.network === network
  if (isHeightKnown && block.number > address.registeredAtBlock) return false
  const wasUnread = address.registeredAtBlock === null && address.network === network && address.siblingOf === null
  if (wasUnread && begunAt != null && block.number > begunAt) return false
  return (isHeightKnown && reading !== "first") || block.time + blockTimeSlackMs < address.createdAt
}

/**
 * The record on the arrival's own network, added as a sibling where the tenant registered the key on another one. It counts
 * as registered when the key was: what arrives after that is not historical.
 */
const addressOf = (
  view: View,
  { address, addressId, keys, network }: IncomingTransfer,
  added: Map<string, DepositAddress>
): { readonly record: DepositAddress; readonly changes: ReadonlyArray<Change> } | undefined => {
  const matched = view.get(DepositAddress, addressId)
  if (matched === undefined) return undefined
  if (matched.network === network) return { record: matched, changes: [] }
  const here = added.get(address) ?? liveAddress(view, network, address)?.record
  if (here !== undefined) return { record: here, changes: [] }
  if (liveAddress(view, network, address) !== undefined || matched.retiredAt !== null) return undefined
  const record: DepositAddress = {
    ...matched,
    id: view.newId(),
    network,
    watchFromBlock: null,
    registeredAtBlock: null,
    watchNowUntil: null,
    siblingOf: matched.id
  }
  added.set(address, record)
  return {
    record,
    changes: newAddressChanges(record, keys)
  }
}

/** What is known of a deposit from the block that it stands in now. A transaction mined again may move other amounts. */
const factsOf = (
  command: RecordIncomingTransfers,
  incomingTransfer: IncomingTransfer,
  address: DepositAddress,
  matched: DepositAddress
) => ({
  addressId: address.id,
  address: address.address,
  reference: address.reference,
  currency: incomingTransfer.currency,
  units: incomingTransfer.units,
  fromAddress: incomingTransfer.fromAddress,
  block: incomingTransfer.block,
  confirmations: incomingTransfer.confirmations,
  requiredConfirmations: command.requiredConfirmations,
  historical: isHistorical(matched, incomingTransfer.block, command)
})

/** A deposit that is seen for the first time, before it has a status. */
const born = (
  view: View,
  { network, transferIndex, txHash }: IncomingTransfer
): Omit<Deposit, keyof ReturnType<typeof factsOf>> => ({
  id: view.newId(),
  tenantId: view.tenant.id,
  network,
  txHash,
  transferIndex,
  status: "DETECTED",
  detectedAt: view.now,
  confirmedAt: null,
  reorgedAt: null,
  changeSeq: 0,
  creditedBy: null,
  ownUnits: 0n
})

/**
 * Whether an arrival is the transfer that stands in its place. What waits for a block may have come to an address whose record
 * was replaced since, when its key changed hands.
 */
const isSame = (known: Deposit, record: DepositAddress, { address, currency }: IncomingTransfer): boolean =>
  known.currency === currency && (known.addressId === record.id || (known.block === null && known.address === address))

/** Whether what is recorded of a block gives way to what nodes of two operators agree on. */
const isCorrected = (
  { reading }: RecordIncomingTransfers,
  known: Deposit | undefined,
  { address, block, currency, fromAddress, units }: IncomingTransfer
): boolean =>
  reading === "agreed" &&
  known?.status === "DETECTED" &&
  known.block !== null &&
  known.block.hash === block?.hash &&
  (known.address !== address ||
    known.currency !== currency ||
    known.units !== units ||
    known.fromAddress !== fromAddress)

/** A deposit that was seen waiting, in the block that its transaction was mined in. What waited is never historical. */
const mined = (view: View, currencies: CurrencyTable, known: Deposit, { block, confirmations }: IncomingTransfer) =>
  moveDeposit(view, currencies, known.status, "mined", { ...known, block, confirmations })

/**
 * Records the arrivals of one block for one tenant, or some that wait for a block. An arrival that is known in the same
 * block changes nothing, nor does one that is said to wait and is known already; one that waited gets its block; one that
 * was reorged away and is there again is detected again in the same row, with what it moves now; one that turns up in
 * another block, its old one not having been seen to go, is first reorged, as is one that two operators correct. On a network of another environment than the tenant's nothing arrives. Replies with the deposits that changed.
 */
export const recordIncomingTransfers = (
  command: RecordIncomingTransfers,
  currencies: CurrencyTable
): Command<ReadonlyArray<Deposit>> => ({
  name: "RecordIncomingTransfers",
  reads: command.incomingTransfers.flatMap((incomingTransfer): ReadonlyArray<Read> => [
    readRecord(Deposit, {
      network: incomingTransfer.network,
      txHash: incomingTransfer.txHash,
      transferIndex: incomingTransfer.transferIndex
    }),
    readRecord(DepositAddress, incomingTransfer.addressId),
    { _tag: "LiveAddress", network: incomingTransfer.network, address: incomingTransfer.address },
    ...creditReads(incomingTransfer),
    ...sweepableReads(incomingTransfer),
    ...attemptReads(incomingTransfer)
  ]),
  decide: (view) => {
    // what stands on a network of another environment is none of the tenant's money, whatever address records say
    if (outOfReach(view.tenant, currencies.networks.of(command.network)) !== undefined)
      return Result.succeed({ changes: [], reply: [] })
    const changes: Array<Change> = []
    const deposits: Array<Deposit> = []
    const added = new Map<string, DepositAddress>()
    const held = new Set<string>()
    for (const incomingTransfer of distinct(command.incomingTransfers, (one) => one)) {
      // what an address sends to itself does not arrive: it was there before
      if (incomingTransfer.fromAddress === incomingTransfer.address) continue
      // what we move ourselves, such as coin for network fees, was here before: it is in the books by its outbound transaction
      const sent = attemptOf(view, incomingTransfer)
      if (sent !== undefined && sent.pays.length === 0) continue
      const known = view.get(Deposit, incomingTransfer)
      const stands = known !== undefined && known.status !== "REORGED"
      const corrected = isCorrected(command, known, incomingTransfer)
      if (
        stands &&
        !corrected &&
        (incomingTransfer.block === null || known.block?.hash === incomingTransfer.block.hash)
      )
        continue
      const found = addressOf(view, incomingTransfer, added)
      const matched = view.get(DepositAddress, incomingTransfer.addressId)
      if (found === undefined || matched === undefined) continue
      // another transfer stood in this place: it must be seen to go before this one can take its row
      if (stands && !corrected && !isSame(known, found.record, incomingTransfer)) continue
      if (stands && known.block === null) {
        const settled = mined(view, currencies, known, incomingTransfer)
        if (settled === undefined) continue
        changes.push(...settled.changes)
        deposits.push(settled.deposit)
        continue
      }
      changes.push(...found.changes)
      const gone = stands ? reorgOne(view, currencies, known, found.record) : undefined
      if (gone !== undefined) changes.push(...gone.changes)
      const before = gone?.deposit ?? known
      const moved = moveDeposit(view, currencies, before?.status ?? null, "arrived", {
        ...(before ?? born(view, incomingTransfer)),
        ...factsOf(command, incomingTransfer, found.record, matched),
        ...(corrected && known?.addressId === found.record.id ? { historical: known.historical } : {}),
        detectedAt: view.now,
        reorgedAt: null
      })
      if (moved === undefined) continue
      changes.push(...moved.changes, ...arrivalHold(view, found.record, held))
      deposits.push(moved.deposit)
    }
    return Result.succeed({ changes: countImports(view, changes), reply: deposits })
  }
})
