import type { Transfer } from "@bursar/core/port/Chain"
import { checksummed } from "../EvmAddress.ts"
import * as TransferIndex from "../TransferIndex.ts"
import type { Traced } from "./Traced.ts"
import type { Log, PlacedTransaction, Receipt, Transaction } from "./wire.ts"

/** keccak256("Transfer(address,address,uint256)") */
export const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

const wordChars = 66
const zeroAddress = `0x${"0".repeat(40)}`

/** The address in a topic of a pinned token, which has checked that it is one. */
const addressIn = (topic: string): string => `0x${topic.slice(-40)}`

/** A Transfer event as ERC-20 writes it: both parties indexed, the amount in the data. NFTs index the amount and do not match. */
const tokenTransfer = (contracts: ReadonlyMap<string, string>, { address, data, topics }: Log) => {
  const contract = contracts.get(address.toLowerCase())
  const [topic, from, to] = topics
  if (contract === undefined || topics.length !== 3 || topic?.toLowerCase() !== transferTopic) return undefined
  if (from === undefined || to === undefined || data.length !== wordChars) return undefined
  const sender = addressIn(from)
  return {
    contract,
    from: sender === zeroAddress ? null : checksummed(sender),
    to: checksummed(addressIn(to)),
    units: BigInt(data)
  }
}

/** The type of a deposit from Ethereum on base (OP Stack specification, "Deposits"). */
const depositType = 0x7e

/**
 * What a deposit of base leaves with its sender: what Ethereum minted, which stays even if the transaction fails, less what
 * the transaction sends on. Somebody who bridges to the own address receives it this way.
 */
const mintedTo = ({ from, mint, to, type, value }: Transaction, { status }: Receipt): bigint => {
  if (Number(type) !== depositType || mint === undefined || mint === null) return 0n
  const sentOn = status === "0x1" && to?.toLowerCase() !== from.toLowerCase() ? BigInt(value) : 0n
  return BigInt(mint) - sentOn
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
    const from = checksummed(transaction.from)
    transfers.push({ ...native, transferIndex: TransferIndex.native, units, from, to: checksummed(to) })
  }
  for (const [ordinal, moved] of (traced?.moves ?? []).entries()) {
    const transferIndex = TransferIndex.ofInternal(ordinal)
    const [from, receiver] = [checksummed(moved.from), checksummed(moved.to)]
    transfers.push({ ...native, transferIndex, units: moved.units, from, to: receiver })
  }
  return transfers
}
