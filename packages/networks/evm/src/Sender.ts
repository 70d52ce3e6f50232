import { atLeast, positive } from "@bursar/network-kit/positive"
import { Effect, type Redacted } from "effect"
import { accountPlanner, nextSequenceGuard } from "@bursar/core/port/accountPlanner"
import type { ChainSender } from "@bursar/core/port/ChainSender"
import { type EvmNetworkOptions, factsOf } from "./internal/facts.ts"
import { makeRpc, type Rpc } from "./internal/rpc/Rpc.ts"
import { toChainError } from "./internal/rpc/NodeAnswer.ts"
import { newTraits } from "./internal/rpc/NodeTraits.ts"
import { readHeader } from "./internal/read/readBlock.ts"
import { readTip } from "./internal/read/readTip.ts"
import { makeBatchingRpc } from "./internal/rpc/batchingRpc.ts"
import { broadcastSigned } from "./internal/broadcast/broadcastSigned.ts"
import { buildTransaction } from "./internal/build/buildTransaction.ts"
import { readBalance } from "./internal/build/contractCall.ts"
import { estimateFee, plannedFee } from "./internal/build/estimateFee.ts"
import { readGasPrices } from "./internal/build/gasPrices.ts"
import { type NonceConsumers, readCount } from "./internal/status/nonceConsumer.ts"
import { preflightPayment } from "./internal/build/preflightPayment.ts"
import { proveClaim } from "./internal/prove/proveClaim.ts"
import { readStatus } from "./internal/status/readStatus.ts"
import { makeSignedReader } from "./internal/build/signedReader.ts"
import { recent } from "./internal/rpc/recent.ts"
import { onceTogether, together } from "./internal/rpc/together.ts"
import type { SenderContext, SharedReads } from "./internal/build/SenderContext.ts"
import { readingOf } from "./Codec.ts"

/** How an EVM network is written to. */
export interface EvmSenderOptions extends EvmNetworkOptions {
  /** JSON-RPC over http(s). May hold a key or a password, neither of which reaches an error or a log. */
  readonly rpcUrl: Redacted.Redacted<string>
  /** The pinned token contracts, from `CurrencyTable.contracts(network)`. */
  readonly contracts: ReadonlyArray<string>
  /** Blocks after which a transaction is final, its own included. Overrides the network's finality, also upwards. */
  readonly confirmations?: number
  /** The most that is bid for a unit of gas, in wei. Overrides the network's own. */
  readonly feeCapPerGas?: bigint
  /** The most gas that a payment may take: a receiver that is a contract decides what it costs. Default 500,000. */
  readonly gasMax?: number
  /** How long what gas costs is relied on. Default 2,000. */
  readonly pricesTtlMs?: number
  /** `off` where the node has no traces: coin that contracts send cannot be proven then. Default `required`. */
  readonly traces?: "required" | "off"
  /** As for the reader of the network. */
  readonly receiptsRoot?: "required" | "off"
  /** Overrides the network's own. */
  readonly rebroadcastAfterMs?: number
  /** Overrides the network's own. */
  readonly replaceAfterMs?: number
  /** How long a request to the node may take. Default 20,000. */
  readonly timeoutMs?: number
  /** How many requests to the node are under way at most. Default 8. */
  readonly callsMax?: number
  /** How many questions go into one request at most. Default 50; 1 for a node that takes no batches. */
  readonly batchMax?: number
  /** What `eth_chainId` must say, for a private network. */
  readonly chainId?: number
}

const defaults = { timeoutMs: 20_000, callsMax: 8, batchMax: 50, gasMax: 500_000, pricesTtlMs: 2_000 }

/** Some time ahead, for whoever reckons with it. */
const validityMs = 86_400_000

const sharedReads = (rpc: Rpc, confirmations: number | undefined): SharedReads => ({
  tip: onceTogether(readTip(rpc, confirmations)),
  headerAt: together(String, (number) => readHeader(rpc, number)),
  countOf: together(String, (account) => readCount(rpc, account, "latest")),
  balanceOf: together(
    ({ address, contract }) => `${address} ${contract}`,
    ({ address, contract }) => readBalance(rpc, address, contract)
  )
})

/**
 * A sender on an EVM network through one node. Its transactions are of type 2.
 *
 * **Details**
 *
 * Nonces are the caller's: `firstSequence` tells what to begin with, from the newest block and never from what waits. A gap is
 * filled by an order without payments. Calls of the same moment share requests, so a thousand orders that are built at once
 * take some forty of them. Prices are kept for `pricesTtlMs`; nothing that decides over a transaction is.
 *
 * **Gotchas**
 *
 * Nothing expires here: `validityMs` and the `validUntil` of an order mean nothing. A replacement of a drain of coin pays less
 * than the drain before it, because all that is there was bid or given. A nonce that an authorization of the account used
 * up (EIP-7702) is proven by that; one that code of the account used, which it had delegated to and which created a contract, is never proven: such an account is not for this. Throws on a mistake of the
 * configuration.
 */
export const makeEvmSender = (options: EvmSenderOptions): ChainSender => {
  const { confirmations, network } = options
  const known = factsOf(options)
  positive("confirmations", options.confirmations)
  atLeast(21_000, "gasMax", options.gasMax)
  atLeast(0, "pricesTtlMs", options.pricesTtlMs)
  positive("rebroadcastAfterMs", options.rebroadcastAfterMs)
  positive("replaceAfterMs", options.replaceAfterMs)
  positive("timeoutMs", options.timeoutMs)
  positive("callsMax", options.callsMax)
  positive("batchMax", options.batchMax)
  const feeCapPerGas = options.feeCapPerGas ?? known.feeCapPerGas
  if (feeCapPerGas <= 0n) throw new Error("feeCapPerGas must be above 0")

  const { rpcUrl } = options
  const limits = {
    timeoutMs: options.timeoutMs ?? defaults.timeoutMs,
    callsMax: options.callsMax ?? defaults.callsMax
  }
  const batchMax = options.batchMax ?? defaults.batchMax
  const reads = makeBatchingRpc({ network, rpcUrl, ...limits, batchMax })
  const calls = makeRpc({ network, rpcUrl, ...limits })
  const context: SenderContext = {
    ...readingOf(options),
    ...sharedReads(reads, confirmations),
    reads,
    // apart from what is read: a batch in which a read breaks everything has no transactions in it
    sends: batchMax === 1 ? calls : makeBatchingRpc({ network, rpcUrl, ...limits, batchMax, alone: calls }),
    calls,
    prices: recent(options.pricesTtlMs ?? defaults.pricesTtlMs, onceTogether(readGasPrices(reads, known.tipMin))),
    feeCapPerGas,
    rollup: known.rollup,
    gasMax: BigInt(options.gasMax ?? defaults.gasMax),
    deployed: new Set(),
    seenGas: new Map(),
    readSigned: makeSignedReader()
  }
  const consumers: NonceConsumers = new Map()
  const proofReading = {
    rooted: options.receiptsRoot !== "off",
    traced: options.traces !== "off",
    traits: newTraits()
  }

  const questions: Pick<ChainSender, "balance" | "estimate" | "firstSequence"> = {
    firstSequence: (account) => readCount(reads, account, "latest"),
    balance: (address, contract) =>
      Effect.catchTag(readBalance(reads, address, contract), "NodeRefusal", (refusal) =>
        Effect.fail(toChainError(network)(refusal))
      ),
    estimate: (payment) => estimateFee(context, payment)
  }
  return {
    ...questions,
    planner: accountPlanner({
      ...questions,
      payoutFee: (payout) => plannedFee(context, payout),
      lenders: ({ wallet }) => [wallet],
      underWayMax: Number.POSITIVE_INFINITY,
      guardOf: nextSequenceGuard(questions.firstSequence)
    }),
    network,
    validityMs,
    rebroadcastAfterMs: options.rebroadcastAfterMs ?? known.rebroadcastAfterMs,
    replaceAfterMs: options.replaceAfterMs ?? known.replaceAfterMs,
    paymentsMax: 1,
    build: (order) => buildTransaction(context, order),
    broadcast: (raw) => broadcastSigned(context.sends, raw),
    status: (order, transactions) => readStatus(context, consumers, order, transactions),
    preflight: (payment) => preflightPayment(context, payment),
    prove: (claimed) => proveClaim(context, proofReading, claimed)
  }
}
