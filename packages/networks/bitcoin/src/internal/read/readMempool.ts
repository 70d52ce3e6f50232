import { Transaction } from "bitcoinjs-lib"
import { Effect, type Redacted, Result, Semaphore } from "effect"
import type { ChainError, Mempool, Transfer } from "@bursar/core/port/Chain"
import type { BitcoinChainName } from "../facts.ts"
import { type BitcoinRpc, makeBitcoinRpc } from "../rpc/Rpc.ts"
import { decoded, inconsistent, isUnknown, toChainError, unreachable } from "../rpc/NodeAnswer.ts"
import { positive } from "@bursar/network-kit/positive"
import { transfersOf } from "./transfersOf.ts"
import { Hex, MempoolInfo, RawMempool } from "../rpc/wire.ts"
import { transactionWithoutWitness } from "./withoutWitness.ts"

/** How the transactions that wait for a block are read. */
export interface MempoolReaderOptions {
  /** JSON-RPC of Bitcoin Core over http(s), with user and password, none of which reaches an error or a log. */
  readonly rpcUrl: Redacted.Redacted<string>
  readonly chain: BitcoinChainName
  /** How long a call to the node may take. Default 20,000. */
  readonly timeoutMs?: number
  /** How many calls to the node are under way at most. Default 8. */
  readonly callsMax?: number
  /** How many transactions not seen before are read in one call. Default 2,000. */
  readonly newTransactionsMax?: number
}

const newTransactionsMaxDefault = 2_000

/** Transactions asked for in one request. */
const batchMax = 100

const doing = "read the mempool"

const transfersIn = (
  chain: BitcoinChainName,
  txid: string,
  hex: string
): Effect.Effect<ReadonlyArray<Transfer>, ChainError> =>
  Effect.try({
    try: () => Transaction.fromBuffer(transactionWithoutWitness(Buffer.from(hex, "hex"))),
    catch: () => inconsistent(doing, `the bytes of transaction ${txid} cannot be decoded`)
  }).pipe(
    Effect.filterOrFail(
      (transaction) => transaction.getId() === txid,
      (transaction) => inconsistent(doing, `the node answered with transaction ${transaction.getId()}`)
    ),
    Effect.map((transaction) => transfersOf(chain, transaction))
  )

/** The transactions that the node still has, read; those that have left it since are left out. */
const read = Effect.fn("MempoolReader.read")(function* (
  rpc: BitcoinRpc,
  chain: BitcoinChainName,
  txids: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<readonly [string, ReadonlyArray<Transfer>]>, ChainError> {
  const answers = yield* rpc.askAll(
    doing,
    "getrawtransaction",
    txids.map((txid) => [txid, false])
  )
  const found: Array<readonly [string, ReadonlyArray<Transfer>]> = []
  for (const [index, txid] of txids.entries()) {
    const answer = answers[index]
    if (answer === undefined) continue
    if (Result.isFailure(answer)) {
      if (isUnknown(answer.failure)) continue
      return yield* toChainError(answer.failure)
    }
    const hex = yield* decoded(doing, Hex, answer.success)
    found.push([txid, yield* transfersIn(chain, txid, hex)])
  }
  return found
})

/** The ids of what waits. Says `unreachable` while a node that was restarted still reads its mempool from the disk. */
const waiting = Effect.fn("MempoolReader.waiting")(function* (
  rpc: BitcoinRpc
): Effect.fn.Return<ReadonlyArray<string>, ChainError> {
  const { loaded } = yield* decoded(doing, MempoolInfo, yield* rpc.ask(doing, "getmempoolinfo", []))
  if (!loaded) return yield* unreachable(doing, "the node is still loading its mempool")
  return yield* decoded(doing, RawMempool, yield* rpc.ask(doing, "getrawmempool", [false]))
})

const batchesOf = (txids: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from({ length: Math.ceil(txids.length / batchMax) }, (_, index) =>
    txids.slice(index * batchMax, (index + 1) * batchMax)
  )

/**
 * Reads the transactions that wait for a block: what a deposit is before it is one. Calls wait for one another. Nothing here is
 * certain: full RBF is the rule.
 *
 * **Details**
 *
 * Transactions are read from their bytes, which must hash to their id. A call that fails changes nothing. A transaction that
 * was mined between two of its calls may be reported as waiting, and as gone by the next.
 *
 * **Gotchas**
 *
 * What was seen is remembered in memory alone: after a restart everything that waits is reported again, and what left meanwhile
 * is not reported as gone. The mempool is the node's own opinion: another node may have other transactions, or fewer.
 */
export const makeMempoolReader = (options: MempoolReaderOptions): Mempool => {
  const { chain, newTransactionsMax = newTransactionsMaxDefault } = options
  positive("newTransactionsMax", newTransactionsMax)
  const rpc = makeBitcoinRpc(options)
  const oneAtATime = Semaphore.makeUnsafe(1)
  let seen: ReadonlySet<string> = new Set()

  const changes = Effect.gen(function* () {
    // Each once, even if the node should name it twice.
    const present = new Set(yield* waiting(rpc))
    const fresh = [...present].filter((txid) => !seen.has(txid))
    const due = fresh.slice(0, newTransactionsMax)
    const found = yield* Effect.forEach(batchesOf(due), (txids) => read(rpc, chain, txids))
    const gone = [...seen].filter((txid) => !present.has(txid))
    const kept = [...seen].filter((txid) => present.has(txid))
    const arrived = found.flat()
    seen = new Set([...kept, ...arrived.map(([txid]) => txid)])
    return { transfers: arrived.flatMap(([, transfers]) => transfers), gone, unread: fresh.length - due.length }
  })

  return { changes: Semaphore.withPermits(oneAtATime, 1)(changes) }
}
