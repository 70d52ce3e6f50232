import { Effect, type Redacted } from "effect"
import type { ChainError, ChainReader, Tip } from "@bursar/core/port/Chain"
import { blockAt } from "./internal/blockAt.ts"
import type { Node } from "./internal/Node.ts"
import { absent, inconsistent } from "./internal/NodeAnswer.ts"
import { readBlock } from "./internal/readBlock.ts"
import { readHeader } from "./internal/readHeader.ts"
import { makeTronHttp, type Scope } from "./internal/TronHttp.ts"
import { toHex } from "./TronAddress.ts"

/** How tron is read. */
export interface TronChainOptions {
  /** The HTTP API of java-tron or TronGrid. May hold a key or a password, neither of which reaches an error or a log. */
  readonly nodeUrl: Redacted.Redacted<string>
  /** Where `/walletsolidity` is served when not by `nodeUrl`: a node of one's own has it on a port of its own (8091). */
  readonly solidityUrl?: Redacted.Redacted<string>
  /** Sent as `TRON-PRO-API-KEY`. */
  readonly apiKey?: Redacted.Redacted<string>
  /** The pinned TRC-20 contracts in base58, from `CurrencyTable.contracts("tron")`. */
  readonly contracts: ReadonlyArray<string>
  /** Blocks after which a deposit counts, its own included. Overrides the network's finality, also upwards. */
  readonly confirmations?: number
  /** Default 3,000, the time between blocks. */
  readonly pollIntervalMs?: number
  /** How long a call to the node may take. Default 20,000. */
  readonly timeoutMs?: number
  /** How many calls to the node are under way at most. Default 8. */
  readonly callsMax?: number
  /** The id of the block at height 0, for a private network. Default that of the main network. */
  readonly genesisBlockId?: string
}

/** A reader of tron, with what has to be asked before it is relied on. */
export interface TronChain extends ChainReader {
  /**
   * Fails when the node is of another network: then addresses look right and everything else is wrong. To be run at start;
   * `inconsistent` for another network, `unreachable` when the node does not answer.
   */
  readonly verifyGenesis: Effect.Effect<void, ChainError>
}

/** The id of the first block of the main network. */
export const mainnetGenesisBlockId = "00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc"

/** A block cannot be replaced once 19 of the 27 producers have built on it. */
const solidifiedDepth = 19

/** More blocks than solidity lags in bad times; a deeper reorg needs a person. */
const reorgDepthMax = 256

const blockTimeMs = 3_000
const timeoutMsDefault = 20_000
const callsMaxDefault = 8

const positive = (name: string, value: number | undefined): void => {
  if (value !== undefined && !(Number.isSafeInteger(value) && value > 0)) {
    throw new Error(`${name} must be a whole number above 0`)
  }
}

/** A node always has a latest block, so an empty answer contradicts itself. */
const latestOf = (node: Node, scope: Scope) =>
  Effect.mapError(readHeader(node, scope, "latest"), (error) =>
    error.reason === "absent" ? inconsistent(error.doing, error.detail) : error
  )

const tipOf = Effect.fn("TronChain.tip")(function* (
  node: Node,
  confirmations: number | undefined
): Effect.fn.Return<Tip, ChainError> {
  const [latest, solid] = yield* Effect.all(
    [
      latestOf(node, "wallet"),
      confirmations === undefined ? latestOf(node, "walletsolidity") : Effect.succeed(undefined)
    ],
    { concurrency: 2 }
  )
  const byDepth = latest.number - (confirmations ?? solidifiedDepth) + 1
  // Behind a balancer the two answers may come from nodes at different heights.
  return { latest, confirmed: Math.max(-1, Math.min(latest.number, solid?.number ?? byDepth)) }
})

/**
 * A reader of tron through one node.
 *
 * **Details**
 *
 * A deposit counts when its block is solidified (19 of the 27 producers have built on it, about a minute), or at `confirmations`
 * blocks when configured. A block takes three calls. No call is repeated here. Found are TRX that a transaction sends, TRX that
 * contracts send, and transfers of the pinned TRC-20 tokens. TRC-10 tokens are none of the service's currencies.
 *
 * **Gotchas**
 *
 * A node lists the TRX that contracts send only with `vm.saveInternalTx = true` in its configuration (TronGrid has it), and does
 * not say when it has not: then such deposits go unseen. Throws on a mistake of the configuration.
 */
export const makeTronChain = (options: TronChainOptions): TronChain => {
  const { confirmations, genesisBlockId = mainnetGenesisBlockId } = options
  positive("confirmations", confirmations)
  positive("pollIntervalMs", options.pollIntervalMs)
  positive("timeoutMs", options.timeoutMs)
  positive("callsMax", options.callsMax)
  const contracts = new Map(
    options.contracts.map((contract) => {
      const hex = toHex(contract)
      if (hex === undefined) throw new Error(`${contract} is not a token contract on tron`)
      return [hex.slice(2), contract]
    })
  )
  const node: Node = {
    http: makeTronHttp({
      nodeUrl: options.nodeUrl,
      solidityUrl: options.solidityUrl ?? options.nodeUrl,
      apiKey: options.apiKey,
      timeoutMs: options.timeoutMs ?? timeoutMsDefault,
      callsMax: options.callsMax ?? callsMaxDefault
    }),
    missing: new Set()
  }

  const header: ChainReader["header"] = (number) =>
    Number.isSafeInteger(number) && number >= 0
      ? readHeader(node, "wallet", number)
      : Effect.fail(absent(`read header ${number}`, "this is not a height"))

  return {
    network: "tron",
    requiredConfirmations: confirmations ?? solidifiedDepth,
    reorgDepthMax: Math.max(reorgDepthMax, confirmations ?? 0),
    pollIntervalMs: options.pollIntervalMs ?? blockTimeMs,
    tip: tipOf(node, confirmations),
    header,
    block: (hash) => readBlock(node, contracts, hash),
    blockAt: (time) => Effect.flatMap(latestOf(node, "wallet"), (latest) => blockAt(header, latest, blockTimeMs, time)),
    verifyGenesis: Effect.flatMap(header(0), ({ hash }) =>
      hash === genesisBlockId
        ? Effect.void
        : Effect.fail(
            inconsistent(
              "verify the network",
              `the node's first block is ${hash}, not ${genesisBlockId}; check the node url of tron`
            )
          )
    )
  }
}
