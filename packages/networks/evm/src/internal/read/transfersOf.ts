import type { Transfer } from "@bursar/core/port/Chain"
import { readTransferLog } from "@bursar/network-kit/Token"
import { checksummed } from "../../Address.ts"
import * as TransferIndex from "./TransferIndex.ts"
import type { Traced } from "./Traced.ts"
import type { Log, PlacedTransaction, Receipt, Transaction } from "../rpc/wire.ts"

/** The transfer that a log of a pinned token says. */
const tokenTransfer = (contracts: ReadonlyMap<string, string>, log: Log) => {
  const contract = contracts.get(log.address.toLowerCase())
  const moved = contract === undefined ? undefined : readTransferLog(log)
  if (contract === undefined || moved === undefined) return undefined
  return {
    contract,
    from: moved.from === null ? null : checksummed(`0x${moved.from}`),
    to: checksummed(`0x${moved.to}`),
    units: moved.units
  }
}

/** The type of a deposit from Ethereum on base (OP Stack specification, "Deposits"). */
const depositType = 0x7e

/** What Ethereum minted for a transaction, which stays even if that fails. */
const mintedFor = ({ mint, type }: Transaction): bigint =>
  Number(type) !== depositType || mint === undefined || mint === null ? 0n : BigInt(mint)

const paysItself = ({ from, to }: Transaction): boolean => to?.toLowerCase() === from.toLowerCase()

/**
 * What a deposit of base leaves with its sender: what Ethereum minted, less what the transaction sends on. Somebody who bridges to the
 * own address receives it this way.
 */
const mintedTo = (transaction: Transaction, { status }: Receipt): bigint => {
  const sentOn = status === "0x1" && !paysItself(transaction) ? BigInt(transaction.value) : 0n
  return mintedFor(transaction) - sentOn
}

/** What pinned tokens have logged in a receipt. Whether it took effect is for the caller to say. Zero amounts are no transfers. */
export const tokenTransfers = (
  contracts: ReadonlyMap<string, string>,
  { hash }: Pick<PlacedTransaction, "hash">,
  { logs }: Receipt
): ReadonlyArray<Transfer> =>
  logs.flatMap((log, ordinal) => {
    const moved = tokenTransfer(contracts, log)
    return moved === undefined || moved.units === 0n
      ? []
      : [{ txHash: hash.toLowerCase(), transferIndex: TransferIndex.ofLog(ordinal), ...moved }]
  })

/**
 * The coin that a transaction of a known kind moved. Nothing but what was minted if it failed. Calldata is not looked at: what
 * counts is the transaction's own value whatever its input, and the value that its calls have sent (`traced`; undefined where they
 * cannot have sent any, or where that is not known).
 *
 * Blocks of bsc end with transactions of the validator, those of base begin with deposits from Ethereum (type 0x7e): both are
 * transactions like any other here, but for what a deposit mints to its sender.
 */
export const nativeTransfers = (
  transaction: Transaction,
  receipt: Receipt,
  traced: Traced | undefined
): ReadonlyArray<Transfer> => {
  const txHash = transaction.hash.toLowerCase()
  const native = { txHash, contract: null }
  const transfers: Array<Transfer> = []
  const minted = mintedTo(transaction, receipt)
  if (minted > 0n) {
    const to = checksummed(transaction.from)
    transfers.push({ ...native, transferIndex: TransferIndex.minted, units: minted, from: null, to })
  }
  if (receipt.status !== "0x1") return transfers
  const units = BigInt(transaction.value)
  const to = transaction.to ?? receipt.contractAddress ?? null
  if (units > 0n && to !== null) {
    // of what was minted for it and sent on, its sender had nothing before; what it sends to itself came to it by the mint
    const cameWithIt = mintedFor(transaction) >= units && !paysItself(transaction)
    const from = cameWithIt ? null : checksummed(transaction.from)
    transfers.push({ ...native, transferIndex: TransferIndex.native, units, from, to: checksummed(to) })
  }
  for (const [ordinal, moved] of (traced?.moves ?? []).entries()) {
    const transferIndex = TransferIndex.ofInternal(ordinal)
    const [from, receiver] = [checksummed(moved.from), checksummed(moved.to)]
    transfers.push({ ...native, transferIndex, units: moved.units, from, to: receiver })
  }
  return transfers
}
