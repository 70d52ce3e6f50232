import type { Transfer } from "@bursar/core/port/Chain"
import { checksummed } from "../EvmAddress.ts"
import * as TransferIndex from "../TransferIndex.ts"
import { type CallFrame, internalTransfers } from "./CallFrame.ts"
import type { Log, Receipt, Transaction } from "./wire.ts"

/** keccak256("Transfer(address,address,uint256)") */
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

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

/**
 * What a transaction moved, in the order of `transferIndex`. Nothing if it failed. Calldata is not looked at: what counts is
 * what pinned tokens have logged, the transaction's own value whatever its input, and the value that its calls have sent.
 * Zero amounts are no transfers.
 *
 * Blocks of bsc end with transactions of the validator, those of base begin with deposits from Ethereum (type 0x7e): both are
 * transactions like any other here. What a deposit mints belongs to its sender and is reported as far as it is sent on by
 * `value`, which is how bridged coin reaches its receiver.
 *
 * `contracts` has the pinned tokens, from the address in lower case to its canonical form.
 */
export const transfersOf = (
  contracts: ReadonlyMap<string, string>,
  transaction: Transaction,
  receipt: Receipt,
  root: CallFrame | undefined
): ReadonlyArray<Transfer> => {
  if (receipt.status !== "0x1") return []
  const txHash = transaction.hash.toLowerCase()
  const transfers: Array<Transfer> = []
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
