import type { Transfer } from "@bursar/core/port/Chain"
import * as TransferIndex from "../TransferIndex.ts"
import { fromEvmHex, fromHex } from "../TronAddress.ts"
import type { InternalTransaction, Log, TransactionInfo } from "./wire.ts"

/** keccak256("Transfer(address,address,uint256)") */
const transferTopic = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

const word = /^[0-9a-f]{64}$/u
const address = /^41[0-9a-f]{40}$/u
const zeroAddress = "0".repeat(40)

/** What a transaction's own contract moves of the network's coin. */
export interface NativeMove {
  readonly from: string
  readonly to: string
  readonly units: bigint
}

/** The address in a topic of a pinned token, which has checked that it is one. */
const addressIn = (topic: string): string => topic.slice(-40)

/** A Transfer event as TRC-20 writes it: both parties indexed, the amount in the data. NFTs index the amount and do not match. */
const tokenTransfer = (contracts: ReadonlyMap<string, string>, { address: emitter, data = "", topics = [] }: Log) => {
  // Nodes write 20 bytes here; some gateways put the prefix before them.
  const contract = contracts.get((emitter ?? "").slice(-40))
  const [topic, from, to] = topics
  if (contract === undefined || topics.length !== 3 || topic !== transferTopic) return undefined
  if (from === undefined || to === undefined || !word.test(data)) return undefined
  const sender = addressIn(from)
  return {
    contract,
    from: sender === zeroAddress ? null : fromEvmHex(sender),
    to: fromEvmHex(addressIn(to)),
    units: BigInt(`0x${data}`)
  }
}

/** "call", "create" and "suicide" in hexadecimal: what moves coin. The others delegate, stake or vote, and only look alike. */
const moving: ReadonlySet<string> = new Set(["63616c6c", "637265617465", "73756963696465"])

/** The coin that an internal transaction asks to send. TRC-10 tokens stand beside it, with a `tokenId`. */
const coinOf = ({ callValueInfo = [] }: InternalTransaction): bigint =>
  callValueInfo.reduce((sum, { callValue = 0, tokenId = "" }) => (tokenId === "" ? sum + BigInt(callValue) : sum), 0n)

/**
 * What a transaction that succeeded moved, in the order of `transferIndex`: what pinned tokens have logged, the transaction's own
 * amount, and the coin that contracts sent. Zero amounts are no transfers, nor is coin that a contract "sends" to itself (a
 * CALLCODE with value reads like that and moves nothing).
 *
 * `contracts` has the pinned tokens, from 20 bytes of hexadecimal to their canonical form.
 */
export const transfersOf = (
  contracts: ReadonlyMap<string, string>,
  { id: txHash, internal_transactions: internal = [], log = [] }: TransactionInfo,
  native: NativeMove | undefined
): ReadonlyArray<Transfer> => {
  const transfers: Array<Transfer> = []
  for (const [ordinal, entry] of log.entries()) {
    const moved = tokenTransfer(contracts, entry)
    if (moved !== undefined && moved.units > 0n) {
      transfers.push({ txHash, transferIndex: TransferIndex.ofLog(ordinal), ...moved })
    }
  }
  if (native !== undefined && native.units > 0n) {
    transfers.push({
      txHash,
      transferIndex: TransferIndex.native,
      contract: null,
      units: native.units,
      from: fromHex(native.from),
      to: fromHex(native.to)
    })
  }
  let ordinal = 0
  for (const sent of internal) {
    const units = coinOf(sent)
    if (units === 0n || !moving.has(sent.note ?? "")) continue
    const transferIndex = TransferIndex.ofInternal(ordinal)
    ordinal += 1
    const from = sent.caller_address ?? ""
    const to = sent.transferTo_address ?? ""
    if (sent.rejected === true || from === to || !address.test(to)) continue
    transfers.push({
      txHash,
      transferIndex,
      contract: null,
      units,
      from: address.test(from) ? fromHex(from) : null,
      to: fromHex(to)
    })
  }
  return transfers
}
