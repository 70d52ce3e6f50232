import type { Transfer } from "@bursar/core/port/Chain"
import { readTransferLog } from "@bursar/network-kit/Token"
import { Result } from "effect"
import * as TransferIndex from "./TransferIndex.ts"
import { fromEvmHex, fromHex } from "../../Address.ts"
import { readable } from "../rpc/NodeAnswer.ts"
import type { NativeMove } from "./signedContract.ts"
import { Entries, InternalTransaction, Log, LogAddress, type TransactionInfo } from "../rpc/wire.ts"

const address = /^41[0-9a-f]{40}$/u

/** The transfer that a log of a pinned token says. Only what pinned tokens write is looked at. */
const tokenTransfer = (contracts: ReadonlyMap<string, string>, entry: unknown) =>
  Result.gen(function* () {
    const { address: emitter = "" } = yield* readable(LogAddress, entry)
    // Nodes write 20 bytes here; some gateways put the prefix before them.
    const contract = contracts.get(emitter.slice(-40))
    if (contract === undefined) return undefined
    const { data = "", topics = [] } = yield* readable(Log, entry)
    const moved = readTransferLog({ data, topics })
    if (moved === undefined) return undefined
    return {
      contract,
      from: moved.from === null ? null : fromEvmHex(moved.from),
      to: fromEvmHex(moved.to),
      units: moved.units
    }
  })

/**
 * "call", "create" and "suicide" in hexadecimal: what moves coin. The others delegate, stake or vote, and only look alike. Among them is
 * "withdrawExpireUnfreezeWhileSuiciding", which some nodes list: what a contract had unstaked is in the amount of its "suicide" already.
 */
const moving: ReadonlySet<string> = new Set(["63616c6c", "637265617465", "73756963696465"])

/** The coin that an internal transaction asks to send. TRC-10 tokens stand beside it, with a `tokenId`. */
const coinOf = ({ callValueInfo = [] }: InternalTransaction): bigint =>
  callValueInfo.reduce((sum, { callValue = 0, tokenId = "" }) => (tokenId === "" ? sum + BigInt(callValue) : sum), 0n)

/** What was read of what a transaction moved, and in words what could not be. */
export interface Moved {
  readonly transfers: ReadonlyArray<Transfer>
  readonly unread: string | undefined
}

const listIn = (field: unknown): Result.Result<ReadonlyArray<unknown>, string> =>
  field === undefined ? Result.succeed([]) : readable(Entries, field)

/** What pinned tokens have logged. Zero amounts are no transfers. */
const tokenTransfers = (contracts: ReadonlyMap<string, string>, { id: txHash, log }: TransactionInfo) =>
  Result.gen(function* () {
    const transfers: Array<Transfer> = []
    for (const [ordinal, entry] of (yield* listIn(log)).entries()) {
      const moved = yield* tokenTransfer(contracts, entry)
      if (moved !== undefined && moved.units > 0n)
        transfers.push({ txHash, transferIndex: TransferIndex.ofLog(ordinal), ...moved })
    }
    return transfers
  })

/**
 * The coin that contracts sent. Coin that a contract "sends" to itself is none (a CALLCODE with value reads like that and moves
 * nothing).
 */
const innerTransfers = ({ id: txHash, internal_transactions: internal }: TransactionInfo) =>
  Result.gen(function* () {
    const transfers: Array<Transfer> = []
    let ordinal = 0
    for (const entry of yield* listIn(internal)) {
      const sent = yield* readable(InternalTransaction, entry)
      const units = coinOf(sent)
      if (units === 0n || !moving.has(sent.note ?? "")) continue
      const transferIndex = TransferIndex.ofInternal(ordinal)
      ordinal += 1
      const from = sent.caller_address ?? ""
      const to = sent.transferTo_address ?? ""
      if (sent.rejected === true || from === to || !address.test(to)) continue
      const sender = address.test(from) ? fromHex(from) : null
      transfers.push({ txHash, transferIndex, contract: null, units, from: sender, to: fromHex(to) })
    }
    return transfers
  })

/**
 * What a transaction that succeeded moved, in the order of `transferIndex`: what pinned tokens have logged, the transaction's own
 * amount, and the coin that contracts sent. What cannot be read of one of these keeps none of the others from being read.
 *
 * `contracts` has the pinned tokens, from 20 bytes of hexadecimal to their canonical form.
 */
export const transfersOf = (
  contracts: ReadonlyMap<string, string>,
  info: TransactionInfo,
  native: NativeMove | undefined
): Moved => {
  const { id: txHash } = info
  const tokens = tokenTransfers(contracts, info)
  const inner = innerTransfers(info)
  const { native: transferIndex } = TransferIndex
  const own: ReadonlyArray<Transfer> =
    native === undefined || native.units === 0n
      ? []
      : [
          {
            txHash,
            transferIndex,
            contract: null,
            units: native.units,
            from: fromHex(native.from),
            to: fromHex(native.to)
          }
        ]
  return {
    transfers: [...Result.getOrElse(tokens, () => []), ...own, ...Result.getOrElse(inner, () => [])],
    unread: [tokens, inner].flatMap((read) => (Result.isFailure(read) ? [read.failure] : []))[0]
  }
}
