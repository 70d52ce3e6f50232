import type { Transfer } from "@bursar/core/port/Chain"
import { checksummed } from "../EvmAddress.ts"
import * as TransferIndex from "../TransferIndex.ts"
import { type CallFrame, internalTransfers } from "./CallFrame.ts"
import type { Log, Receipt, Transaction } from "./wire.ts"

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

/**
 * What a transaction moved. Nothing but what was minted if it failed. Calldata is not looked at: what counts is
 * what pinned tokens have logged, the transaction's own value whatever its input, and the value that its calls have sent.
 * Zero amounts are no transfers.
 *
 * Blocks of bsc end with transactions of the validator, those of base begin with deposits from Ethereum (type 0x7e): both are
 * transactions like any other here, but for what a deposit mints to its sender.
 *
 * `contracts` has the pinned tokens, from the address in lower case to its canonical form.
 */
export const transfersOf = (
  contracts: ReadonlyMap<string, string>,
  transaction: Transaction,
  receipt: Receipt,
  root: CallFrame | undefined
): ReadonlyArray<Transfer> => {
  const txHash = transaction.hash.toLowerCase()
  const transfers: Array<Transfer> = []
  const minted = mintedTo(transaction, receipt)
  if (minted > 0n) {
    transfers.push({
      txHash,
      transferIndex: TransferIndex.minted,
      contract: null,
      units: minted,
      from: null,
      to: checksummed(transaction.from)
    })
  }
  if (receipt.status !== "0x1") return transfers
  for (const [ordinal, log] of receipt.logs.entries()) {
    const moved = tokenTransfer(contracts, log)
    if (moved !== undefined && moved.units > 0n) {
      transfers.push({ txHash, transferIndex: TransferIndex.ofLog(ordinal), ...moved })
    }
  }
  const units = BigInt(transaction.value)
  const to = transaction.to ?? receipt.contractAddress ?? null
  if (units > 0n && to !== null) {
    const from = checksummed(transaction.from)
    transfers.push({ txHash, transferIndex: TransferIndex.native, contract: null, units, from, to: checksummed(to) })
  }
  for (const sent of root === undefined ? [] : internalTransfers(root)) {
    transfers.push({
      txHash,
      transferIndex: sent.transferIndex,
      contract: null,
      units: sent.units,
      from: checksummed(sent.from),
      to: checksummed(sent.to)
    })
  }
  return transfers
}
