import { Result } from "effect"
import { storable } from "../base/storable.ts"
import type { BlockPoint } from "../deposit/Deposit.ts"
import { schedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readGroup, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { placeReads } from "../ledger/coverShortfall.ts"
import { of } from "../money/Amount.ts"
import type { NetworkTable } from "../money/Network.ts"
import { type Arrival, adjustArrival } from "../operation/adjustArrival.ts"
import { bookedArrivalReads, hasPaid } from "../operation/bookedArrival.ts"
import { withGiven } from "../operation/goneArrival.ts"
import { Operation } from "../operation/Operation.ts"
import { suspenseTakenRead } from "../operation/SuspenseTaken.ts"
import { ownPart, ownTransferReads } from "../deposit/ownTransfer.ts"
import { sourceReads, type Undecided, waitingForSource } from "../deposit/undecided.ts"
import { AccountProvisioning } from "../provisioning/AccountProvisioning.ts"
import { provisioningItem, provisioningQueue } from "../transaction/queues.ts"
import { attemptKey, TransactionAttempt } from "../transaction/TransactionAttempt.ts"
import { guardKind } from "../transaction/guardKind.ts"
import type { Transfer } from "../port/Chain.ts"
import { attemptOf, hashesOf } from "./attemptOf.ts"
import { isFromOurs, oursReads } from "./fromOurs.ts"
import type { RecordIncomingTransfers } from "./recordIncomingTransfers.ts"
import { walletTransferKey, WalletTransfer } from "../deposit/WalletTransfer.ts"
import { utxoKey, WalletUtxo } from "../transaction/WalletUtxo.ts"
import { IssuingAccount } from "../address/IssuingAccount.ts"

/** A transfer in a verified block to an address that was found to be a wallet's. */
export type FoundAtWallet = Omit<
  WalletTransfer,
  "bookedBy" | "detectedAt" | "ownUnits" | "place" | "status" | "tenantId"
> &
  Pick<Transfer, "innerHash">

/** What came with a memo that can be stored: it is for people to read, and nothing is found by it. */
const withStorableMemo = <A extends Pick<WalletTransfer, "memo">>(one: A): A =>
  one.memo === null ? one : { ...one, memo: { ...one.memo, value: storable(one.memo.value) } }

/** An arrival that a transaction of our own brought has the hash of ours, whatever transaction of somebody else's it is inside of. */
const identified = (view: View, found: FoundAtWallet): FoundAtWallet => {
  const { innerHash: _innerHash, ...one } = withStorableMemo(found)
  return { ...one, txHash: attemptOf(view, found)?.hash ?? one.txHash }
}

const bookReads = (
  one: Pick<WalletTransfer, "currency" | "network" | "transferIndex" | "txHash">,
  networks: NetworkTable
): ReadonlyArray<Read> => [
  readRecord(WalletTransfer, walletTransferKey(one)),
  readRecord(TransactionAttempt, attemptKey(one.network, one.txHash)),
  ...bookedArrivalReads(one.txHash),
  ...(guardKind(networks.of(one.network)) === "Utxos"
    ? [readRecord(WalletUtxo, utxoKey(one.network, { txHash: one.txHash, vout: one.transferIndex }))]
    : []),
  ...placeReads(`chain:${one.network}:payouts`, one.currency),
  ...placeReads(`chain:${one.network}:deposits`, one.currency),
  ...placeReads(`chain:${one.network}:tenant`, one.currency),
  { _tag: "Balance", account: "suspense", currency: one.currency },
  suspenseTakenRead(one.currency)
]

/** The last of each arrival that is named. A decider sees no change of its own, so naming one twice would book it twice. */
const distinct = <A>(
  all: ReadonlyArray<A>,
  walletTransferOf: (one: A) => Pick<WalletTransfer, "network" | "transferIndex" | "txHash">
) => [...new Map(all.map((one) => [walletTransferKey(walletTransferOf(one)), one])).values()]

/** An arrival as it is booked. */
const arrivalOf = (one: WalletTransfer): Arrival => {
  const { address, bookedBy, currency, fromAddress, memo, network, ownUnits, paidTo, place, transferIndex, txHash } =
    one
  const stored = {
    network,
    tx_hash: txHash,
    transfer_index: transferIndex,
    address,
    paid_to: paidTo,
    memo: memo === null ? null : { type: memo.type, value: memo.value },
    from_address: fromAddress
  }
  return { network, txHash, amount: of(one.units, currency), ownUnits, place, stored, reverses: bookedBy }
}

const coinOf = (view: View, { network, transferIndex, txHash }: WalletTransfer): WalletUtxo | undefined =>
  view.get(WalletUtxo, utxoKey(network, { txHash, vout: transferIndex }))

/** The coin of an arrival that is in the chain for good. One that an outbound transaction has named stays with it. */
const utxoThere = (view: View, incomingTransfer: WalletTransfer, networks: NetworkTable): ReadonlyArray<Change> => {
  if (guardKind(networks.of(incomingTransfer.network)) !== "Utxos") return []
  const { address, network, transferIndex, txHash, units, walletId } = incomingTransfer
  const known = coinOf(view, incomingTransfer)
  if (known !== undefined && known.state !== "GONE") return []
  const transactionId = known?.transactionId ?? null
  const utxo: WalletUtxo = {
    network,
    txHash,
    vout: transferIndex,
    units,
    address,
    walletId,
    // what an outbound transaction has taken while it was gone is for that outbound transaction's fate to say
    state: transactionId === null ? "FREE" : "RESERVED",
    transactionId
  }
  return [putRecord(WalletUtxo, utxo)]
}

const utxoGone = (view: View, incomingTransfer: WalletTransfer, networks: NetworkTable): ReadonlyArray<Change> => {
  if (guardKind(networks.of(incomingTransfer.network)) !== "Utxos") return []
  const known = coinOf(view, incomingTransfer)
  return known === undefined || known.state === "SPENT" ? [] : [putRecord(WalletUtxo, { ...known, state: "GONE" })]
}

/** Whether what had booked an arrival was taken back when a transaction of our own was found to have brought it. */
const isTakenBack = (view: View, { bookedBy, txHash }: WalletTransfer): boolean =>
  view.group(Operation, txHash).some(({ details, id }) => id === bookedBy && details.reversed_by !== undefined)

/** Takes back what an arrival brought. */
const undo = (view: View, incomingTransfer: WalletTransfer, networks: NetworkTable): ReadonlyArray<Change> => [
  ...(incomingTransfer.bookedBy === null || isTakenBack(view, incomingTransfer)
    ? []
    : withGiven(
        view,
        incomingTransfer.bookedBy,
        adjustArrival(view, arrivalOf(incomingTransfer), -1n, "What had arrived is not on the chain any more.").changes
      )),
  ...utxoGone(view, incomingTransfer, networks)
]

/**
 * Records what came to wallets of one tenant in a block, whoever sent it. It is never a deposit, and counts for nothing until it is
 * confirmed. What is known in the same block changes nothing, unless it is `agreed` by nodes of two operators and counts for nothing yet; what
 * turns up in another block is first taken back.
 */
export const recordWalletTransfers = (
  found: ReadonlyArray<FoundAtWallet>,
  networks: NetworkTable,
  reading: NonNullable<RecordIncomingTransfers["reading"]> = "again"
): Command<ReadonlyArray<WalletTransfer>> => ({
  name: "RecordWalletArrivals",
  reads: found.flatMap((one): ReadonlyArray<Read> => [
    ...hashesOf(one).flatMap((txHash) => bookReads({ ...one, txHash }, networks)),
    readRecord(IssuingAccount, networks.of(one.network).family)
  ]),
  decide: (view) => {
    const changes: Array<Change> = []
    const incomingTransfers: Array<WalletTransfer> = []
    const all = found.map((one) => identified(view, one))
    for (const one of distinct(all, (each) => each)) {
      const known = view.get(WalletTransfer, walletTransferKey(one))
      const stands = known !== undefined && known.status !== "REORGED"
      const gives = reading === "agreed" && known?.status === "DETECTED"
      if (stands && !gives && known.block.hash === one.block.hash) continue
      if (known?.status === "CONFIRMED") changes.push(...undo(view, known, networks))
      const incomingTransfer: WalletTransfer = {
        ...one,
        tenantId: view.tenant.id,
        place:
          view.get(IssuingAccount, networks.of(one.network).family)?.accountKey === one.address ? "ACCOUNT" : "WALLET",
        status: "DETECTED",
        bookedBy: null,
        ownUnits: 0n,
        detectedAt: known?.detectedAt ?? view.now
      }
      changes.push(putRecord(WalletTransfer, incomingTransfer))
      incomingTransfers.push(incomingTransfer)
    }
    return Result.succeed({ changes, reply: incomingTransfers })
  }
})

/** An arrival at a wallet, with the block in which it was found. */
export interface WalletTransferIn {
  readonly incomingTransfer: WalletTransfer
  /** One that has moved to another block since is left alone. */
  readonly block: Pick<BlockPoint, "hash">
}

const standing = (view: View, { incomingTransfer, block }: WalletTransferIn): WalletTransfer | undefined => {
  const known = view.get(WalletTransfer, walletTransferKey(incomingTransfer))
  // what was recorded before memos were looked at may hold anything
  return known?.block.hash === block.hash && known.status !== "REORGED" ? withStorableMemo(known) : undefined
}

/** Whether what is known of it is what was found, as far as what was read hangs on it: nodes may have corrected it since. */
const isAsNamed = (known: WalletTransfer, named: WalletTransfer): boolean =>
  known.fromAddress === named.fromAddress && known.currency === named.currency

/** Whether it came with a payout of the tenant's wallet that evidence has settled: it is its change. */
const isProven = (view: View, known: WalletTransfer): boolean => known.fromAddress === null && hasPaid(view, known)

/** What came may be what the setting up of accounts has waited for. */
const wakeProvisioning = (
  view: View,
  incomingTransfers: ReadonlyArray<WalletTransfer>,
  networks: NetworkTable
): ReadonlyArray<Change> =>
  [...new Set(incomingTransfers.map(({ network }) => network))]
    .filter(
      (network) =>
        networks.of(network).provisioned && view.group(AccountProvisioning, network).some(({ ready }) => !ready)
    )
    .map((network) => schedule(provisioningQueue(network), provisioningItem, view.now))

/**
 * Confirms arrivals at wallets whose blocks are deep enough. What came from outside is booked as an ADJUSTMENT against suspense, as
 * far as the tenant has not moved it from addresses of its own where it was credited, which waits for as long as what came there before is
 * `undecided` (`waitingForSource`); what a transaction of our own brought (change, a sweep) is booked with its outbound transaction and not again. So is what an account of ours
 * sent (`isFromOurs`), or is proven to have (`isProven`), whether or not its transaction is known: a restored database may have lost it. On bitcoin each becomes a UTXO
 * that can be spent.
 */
export const confirmWalletTransfers = (
  found: ReadonlyArray<WalletTransferIn>,
  networks: NetworkTable,
  undecided: Undecided
): Command<ReadonlyArray<WalletTransfer>> => ({
  name: "ConfirmWalletArrivals",
  reads: [
    ...found.flatMap(({ incomingTransfer }) => [
      ...bookReads(incomingTransfer, networks),
      ...ownTransferReads(incomingTransfer),
      ...oursReads(incomingTransfer, networks)
    ]),
    ...found.flatMap(({ incomingTransfer: { network } }) =>
      networks.of(network).provisioned ? [readGroup(AccountProvisioning, network)] : []
    ),
    ...sourceReads(
      found.map(({ incomingTransfer }) => incomingTransfer),
      undecided
    )
  ],
  decide: (view) => {
    const changes: Array<Change> = []
    const incomingTransfers: Array<WalletTransfer> = []
    const moved = new Map<string, bigint>()
    const all = distinct(found, ({ incomingTransfer }) => incomingTransfer)
    const waiting = waitingForSource(
      view,
      all.map(({ incomingTransfer }) => incomingTransfer),
      undecided
    )
    for (const one of all) {
      const known = standing(view, one)
      if (known?.status !== "DETECTED" || !isAsNamed(known, one.incomingTransfer)) continue
      const ours =
        view.get(TransactionAttempt, attemptKey(known.network, known.txHash)) !== undefined ||
        isFromOurs(view, known, networks) ||
        isProven(view, known)
      if (!ours && waiting.has(one.incomingTransfer)) continue
      const place = `${known.network}|${known.currency}`
      const own = ours ? 0n : ownPart(view, known, -(moved.get(place) ?? 0n))
      moved.set(place, (moved.get(place) ?? 0n) + own)
      const booked = ours
        ? undefined
        : adjustArrival(
            view,
            arrivalOf({ ...known, ownUnits: own }),
            1n,
            own === known.units
              ? `Arrived at the ${known.network} wallet from an address of the tenant's own; it was credited there.`
              : known.place === "WALLET"
                ? `Arrived at the ${known.network} wallet from outside; it is for nobody yet.`
                : `Arrived at the ${known.network} account that addresses are parts of and names none of them; it is for nobody yet.`
          )
      const incomingTransfer: WalletTransfer = {
        ...known,
        status: "CONFIRMED",
        ownUnits: own,
        bookedBy: booked?.id ?? null
      }
      changes.push(
        ...(booked?.changes ?? []),
        ...utxoThere(view, incomingTransfer, networks),
        putRecord(WalletTransfer, incomingTransfer)
      )
      incomingTransfers.push(incomingTransfer)
    }
    changes.push(...wakeProvisioning(view, incomingTransfers, networks))
    return Result.succeed({ changes, reply: incomingTransfers })
  }
})

/** Marks arrivals at wallets whose blocks are not on the chain any more, and takes back what was booked. Sending it twice does so once. */
export const reorgWalletTransfers = (
  lost: ReadonlyArray<WalletTransferIn>,
  networks: NetworkTable
): Command<ReadonlyArray<WalletTransfer>> => ({
  name: "ReorgWalletArrivals",
  reads: lost.flatMap(({ incomingTransfer }) => bookReads(incomingTransfer, networks)),
  decide: (view) => {
    const changes: Array<Change> = []
    const incomingTransfers: Array<WalletTransfer> = []
    for (const one of distinct(lost, ({ incomingTransfer }) => incomingTransfer)) {
      const known = standing(view, one)
      if (known === undefined) continue
      const incomingTransfer: WalletTransfer = { ...known, status: "REORGED", ownUnits: 0n, bookedBy: null }
      changes.push(...undo(view, known, networks), putRecord(WalletTransfer, incomingTransfer))
      incomingTransfers.push(incomingTransfer)
    }
    return Result.succeed({ changes, reply: incomingTransfers })
  }
})
