import { Effect, type Redacted, Result } from "effect"
import { utxoSizes, type ScriptType, scriptTypeOf } from "./internal/plan/UtxoSizes.ts"
import { feeAt } from "./internal/plan/payFromUtxos.ts"
import type { ChainError } from "@bursar/core/port/Chain"
import type { ChainSender, FeeEstimate, Payment, Preflight } from "@bursar/core/port/ChainSender"
import type { Utxo } from "@bursar/core/port/Utxo"
import { parseBitcoinAddress } from "./Address.ts"
import { type BitcoinChainName, confirmationsDefault } from "./internal/facts.ts"
import { makeBitcoinRpc } from "./internal/rpc/Rpc.ts"
import { positive } from "@bursar/network-kit/positive"
import { broadcastSigned } from "./internal/broadcast/broadcastSigned.ts"
import { buildTransaction } from "./internal/build/buildTransaction.ts"
import { readStatus } from "./internal/status/readStatus.ts"
import { feeRates } from "./internal/build/feeRate.ts"
import { makeKnownSpenders } from "./internal/status/findSpenders.ts"
import { feeRateMaxDefault } from "./internal/build/Limits.ts"
import { type HighestSeen, proveClaim } from "./internal/prove/proveClaim.ts"
import { makeUtxoScan, scanTimeoutMsDefault } from "./internal/build/scanUtxos.ts"
import type { SenderContext } from "./internal/build/SenderContext.ts"
import { bitcoinPlanner } from "./Planner.ts"

/** How bitcoin is written to. */
export interface BitcoinSenderOptions {
  /** JSON-RPC of Bitcoin Core over http(s), with user and password, none of which reaches an error or a log. */
  readonly rpcUrl: Redacted.Redacted<string>
  readonly chain: BitcoinChainName
  /** Blocks after which a transaction of ours is final, its own included. Default 3. */
  readonly confirmations?: number
  /** Blocks after which a foreign outbound transaction of one of its coins proves that it can never come. Default 6. */
  readonly conflictConfirmations?: number
  /** In how many blocks a transaction should be mined: what its fee is estimated for. Default 6. */
  readonly confirmTarget?: number
  /** What is paid where the node has nothing to estimate from, in satoshi per 1,000 virtual bytes. Default none: nothing is built. */
  readonly fallbackFeeRate?: bigint | null
  /** The most that a transaction may pay, in satoshi per 1,000 virtual bytes. Default 500,000. The format must have the same. */
  readonly feeRateMax?: bigint
  /** How many payments one transaction may make. Default 100. */
  readonly paymentsMax?: number
  /** How many UTXOs one sweep moves at most. Default 200. */
  readonly sweepUtxosMax?: number
  /** After how long without a block the same bytes are sent again. Default 300,000. */
  readonly rebroadcastAfterMs?: number
  /** After how long without a block a dearer replacement is worth it; null for never. Default 3,600,000. */
  readonly replaceAfterMs?: number | null
  /** How many blocks are looked through for what has spent a coin. Default 1,008: a week. */
  readonly searchBlocksMax?: number
  /** How old the newest block may be before the node counts as lagging; null for any age. Default three hours, on regtest null. */
  readonly tipAgeMsMax?: number | null
  /** How long a call to the node may take. Default 20,000. */
  readonly timeoutMs?: number
  /** How long the node may take to look through all unspent outputs. Default 600,000. */
  readonly scanTimeoutMs?: number
  /** How many calls to the node are under way at most. Default 8. */
  readonly callsMax?: number
}

/** A sender of bitcoin, with what its planner and its operators ask a node beside. */
export interface BitcoinSender extends ChainSender {
  /**
   * What a transaction would have to pay now to come into a block soon, in satoshi per 1,000 virtual bytes. Null where the node cannot
   * tell and no other rate is configured.
   */
  readonly feeRate: Effect.Effect<bigint | null, ChainError>
  /**
   * The outputs at these addresses that the newest block leaves unspent and the next one could spend. What waits for a block is not
   * looked at: UTXOs that it makes are left out, UTXOs that it spends are not. May take minutes.
   */
  readonly utxos: (addresses: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Utxo>, ChainError>
}

/** Nodes forget what waits for two weeks (Bitcoin Core, `mempoolexpiry`); that makes nothing invalid. */
const validityMs = 1_209_600_000

const tipAgeMsDefault = 10_800_000

/** Inputs that an estimate counts with: of how many coins a payment will be made is not known before they are chosen. */
const inputsEstimated = 2n

const positiveRate = (name: string, rate: bigint): void => {
  if (rate <= 0n) throw new Error(`${name} must be above 0`)
}

const contextOf = (options: BitcoinSenderOptions): SenderContext => {
  const {
    chain,
    confirmations = confirmationsDefault,
    confirmTarget = 6,
    conflictConfirmations = 6,
    fallbackFeeRate = null,
    feeRateMax = feeRateMaxDefault,
    paymentsMax = 100,
    searchBlocksMax = 1_008
  } = options
  for (const [name, value] of Object.entries({
    confirmations,
    confirmTarget,
    conflictConfirmations,
    paymentsMax,
    searchBlocksMax
  })) {
    positive(name, value)
  }
  positiveRate("feeRateMax", feeRateMax)
  if (fallbackFeeRate !== null) positiveRate("fallbackFeeRate", fallbackFeeRate)
  if (fallbackFeeRate !== null && fallbackFeeRate > feeRateMax) throw new Error("fallbackFeeRate is above feeRateMax")
  const rpc = makeBitcoinRpc(options)
  return {
    rpc,
    chain,
    feeRateMax,
    paymentsMax,
    confirmations,
    conflictConfirmations,
    searchBlocksMax,
    rates: feeRates(rpc, { confirmTarget, fallbackFeeRate })
  }
}

/** The script type of an address; the largest where it is unknown or no address. */
const typeOf = (chain: BitcoinChainName, address: string | null): ScriptType =>
  address === null
    ? "p2tr"
    : Result.match(parseBitcoinAddress(chain, address), { onSuccess: scriptTypeOf, onFailure: () => "p2tr" })

/** The fee of one payment from two P2WPKH coins, with change; null where the rate is. */
const estimateAt = (chain: BitcoinChainName, to: string | null, feeRate: bigint | null): FeeEstimate => {
  const input = utxoSizes.input.p2wpkh ?? 0n
  const change = utxoSizes.output.p2wpkh
  const weight = utxoSizes.base + inputsEstimated * input + utxoSizes.output[typeOf(chain, to)] + change
  return {
    fee: feeRate === null ? null : feeAt(feeRate, (weight + 3n) / 4n),
    recipientHoldsAsset: null,
    assumedWorstCase: to === null
  }
}

const tooLittle = (dust: bigint): string =>
  `Nodes do not relay payments of less than ${dust} satoshi to such an address.`

const preflightOf = (chain: BitcoinChainName, { contract, memo, to, units }: Payment): Preflight => {
  const unpayable = (code: Extract<Preflight, { _tag: "Unpayable" }>["code"], message: string): Preflight => ({
    _tag: "Unpayable",
    code,
    message
  })
  const address = parseBitcoinAddress(chain, to)
  if (Result.isFailure(address)) return unpayable("address_invalid", address.failure)
  if (contract !== null) return unpayable("address_invalid", "Bitcoin has no assets but its own coin.")
  if (memo !== null) return unpayable("memo_invalid", "Payments of bitcoin carry no memo.")
  const dust = utxoSizes.dust[scriptTypeOf(address.success)]
  return units < dust
    ? { _tag: "Unpayable", code: "below_minimum", message: tooLittle(dust), minimum: dust }
    : { _tag: "Payable" }
}

/**
 * A sender of bitcoin through one node of Bitcoin Core, which needs no wallet.
 *
 * **Details**
 *
 * A transaction spends exactly the coins of its order's token, all confirmed, and gives its change to `from`; its unsigned bytes are a
 * PSBT that {@link bitcoinCodec} reads. It signals that it may be replaced; a replacement keeps the coins and all receivers and takes its
 * higher fee from the change. Fees are read at each build. What became of a transaction is told by blocks alone, read by their hash: coins
 * that are not unspent any more are looked for from the newest block down, or where the node's index of transactions points.
 *
 * **Gotchas**
 *
 * `balance` and `utxos` have the node look through all unspent outputs, which takes minutes on the main chain. `prove` needs the node's
 * index of transactions (`txindex=1`). An estimate counts with two coins. Throws on a mistake of the configuration.
 */
export const makeBitcoinSender = (options: BitcoinSenderOptions): BitcoinSender => {
  const {
    chain,
    rebroadcastAfterMs = 300_000,
    replaceAfterMs = 3_600_000,
    scanTimeoutMs = scanTimeoutMsDefault,
    sweepUtxosMax = 200,
    tipAgeMsMax = chain === "regtest" ? null : tipAgeMsDefault
  } = options
  positive("rebroadcastAfterMs", rebroadcastAfterMs)
  positive("sweepUtxosMax", sweepUtxosMax)
  if (replaceAfterMs !== null) positive("replaceAfterMs", replaceAfterMs)
  if (tipAgeMsMax !== null) positive("tipAgeMsMax", tipAgeMsMax)
  const context = contextOf(options)
  const known = makeKnownSpenders()
  const seen: HighestSeen = { height: 0 }
  const scan = makeUtxoScan(makeBitcoinRpc({ rpcUrl: options.rpcUrl, timeoutMs: scanTimeoutMs, callsMax: 2 }), chain)
  const feeRate = Effect.map(context.rates, ({ current }) => current)
  return {
    network: "bitcoin",
    validityMs,
    rebroadcastAfterMs,
    replaceAfterMs,
    paymentsMax: context.paymentsMax,
    firstSequence: () => Effect.succeed(null),
    balance: (address, contract) =>
      contract === null
        ? Effect.map(scan([address]), ({ utxos }) => utxos.reduce((sum, { units }) => sum + units, 0n))
        : Effect.die(new Error("bitcoin has no assets but its own coin")),
    feeRate,
    planner: bitcoinPlanner({
      feeRate,
      feeRateMax: context.feeRateMax,
      paymentsMax: context.paymentsMax,
      sweepUtxosMax
    }),
    utxos: (addresses) =>
      Effect.map(scan(addresses), ({ utxos }) => utxos.flatMap(({ mature, ...utxo }) => (mature ? [utxo] : []))),
    build: (order) => buildTransaction(context, order),
    broadcast: (raw) => broadcastSigned(context.rpc, raw),
    status: (order, transactions) => readStatus(context, known, order, transactions),
    estimate: ({ to }) =>
      feeRate.pipe(
        Effect.catch(() => Effect.succeed(null)),
        Effect.map((rate) => estimateAt(chain, to, rate))
      ),
    preflight: (payment) => Effect.succeed(preflightOf(chain, payment)),
    prove: (claimed) => proveClaim(context, seen, tipAgeMsMax, claimed)
  }
}
