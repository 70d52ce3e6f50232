import { Clock, Effect, Schedule } from "effect"
import type { Scope } from "effect"
import * as ControlServer from "@bursar/simulator-kit/ControlServer"
import type { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { bitcoinControls } from "./bitcoinControls.ts"
import { type Faucet, makeFaucet } from "./Faucet.ts"
import { makeNode, type Node } from "./Node.ts"
import { type Call, run } from "./rpc/dispatch.ts"
import { contextOf } from "./rpc/Method.ts"
import * as RpcServer from "./RpcServer.ts"
import { loadState, saveState } from "./stateFile.ts"
import { makeWallet } from "./Wallet.ts"

/** How the local bitcoin is to behave. */
export interface BitcoinDevnetOptions {
  /** 0 or absent takes a free one. */
  readonly port?: number
  readonly controlPort?: number
  /** What callers must send as basic auth. Default "bursar" and "bursar". */
  readonly user?: string
  readonly password?: string
  /** Seconds between blocks; absent means that nothing is mined unasked. */
  readonly blockTimeSeconds?: number
  /** Whether a block is mined as soon as a transaction is taken. Default false. */
  readonly automine?: boolean
  /** Where the chain is loaded from at start and saved to at stop and seconds after a change; absent means memory only. */
  readonly stateFile?: string
}

/** A complete local bitcoin network. */
export interface BitcoinDevnet {
  /** What Bursar talks to: Bitcoin Core's JSON-RPC, with user and password. */
  readonly rpcUrl: string
  readonly controlUrl: string
  /** An account that holds coins. Its key is public knowledge: for local use only. */
  readonly funded: { readonly address: string; readonly privateKey: string; readonly wif: string }
  readonly faucet: Faucet
  /** Makes the node misbehave. */
  readonly faults: RpcServer.RpcServer
  /** The node itself, for what no call can do. */
  readonly node: Node
}

const faucetKey = "b1".repeat(32)
const fundedKey = "b2".repeat(32)
const fundedWif = "cTa4raHam14LXArFKrSBUavZjhT6gvuwbcPhAisRGDyVxvConDH7"

/** Blocks mined at start. Those of the first 30 are mature: 15 for the funded account, the others for the faucet. */
const firstBlocks = 130
const fundedBlocks = 30

/** The first blocks are as far apart as on the main chain, up to now. */
const firstBlockSeconds = 600

const saveEvery = "2 seconds"

const milliseconds = 1_000

const seconds = Effect.map(Clock.currentTimeMillis, (time) => Math.floor(time / milliseconds))

/** The methods that change the node. */
const movers: ReadonlySet<string> = new Set([
  "sendrawtransaction",
  "generatetoaddress",
  "generateblock",
  "invalidateblock",
  "reconsiderblock"
])

/** What the state file depends on, in short. */
const mark = ({ chain, mempool }: Node): string =>
  [chain.tip().hash, chain.blocks.size, chain.invalid.size, ...mempool.entries.keys()].join(" ")

/** Saves a node where it has changed since it was saved last. */
const saving = (stateFile: string, node: Node): Effect.Effect<void, DevnetError> => {
  let saved = ""
  return Effect.suspend(() => {
    const now = mark(node)
    if (now === saved) return Effect.void
    return Effect.tap(saveState(stateFile, node), () =>
      Effect.sync(() => {
        saved = now
      })
    )
  })
}

/**
 * Starts a bitcoin node in regtest with its controls, until the scope closes.
 *
 * **Details**
 *
 * It is written here, not Bitcoin Core, and speaks the same JSON-RPC. Transactions are decoded and verified: signatures of P2WPKH,
 * P2SH-P2WPKH, P2PKH and P2TR by key, amounts, maturity, lock times, dust, fees and full RBF. Blocks are real, with merkle roots, witness
 * commitments and regtest's proof of work. The index of transactions goes on finding what a reorganisation lost, as Bitcoin Core's does.
 *
 * **Gotchas**
 *
 * There is no peer-to-peer network and no interpreter of scripts: coins of other kinds can be received, not spent.
 */
export const make = Effect.fn("BitcoinDevnet.make")(function* (
  options: BitcoinDevnetOptions = {}
): Effect.fn.Return<BitcoinDevnet, DevnetError, Scope.Scope> {
  const { automine = false, blockTimeSeconds, stateFile } = options
  const node = makeNode()
  const wallet = makeWallet(faucetKey)
  const funded = makeWallet(fundedKey)
  const start = yield* seconds
  const resumed = stateFile !== undefined && (yield* loadState(stateFile, node, start))
  if (!resumed) {
    for (const index of Array.from({ length: firstBlocks }).keys()) {
      const to = index < fundedBlocks && index % 2 === 0 ? funded : wallet
      node.mine(1, to.script, start - (firstBlocks - index) * firstBlockSeconds)
    }
  }

  const mineWaiting = Effect.gen(function* () {
    if (automine && node.mempool.entries.size > 0) node.mine(1, wallet.script, yield* seconds)
  })
  const perform = Effect.fnUntraced(function* (call: Call, lagBlocks: number) {
    const outcome = run(contextOf(node, yield* seconds, start, lagBlocks), call)
    if (movers.has(call.method) && "result" in outcome) yield* mineWaiting
    return outcome
  })
  const server = yield* RpcServer.make({
    perform,
    user: options.user ?? "bursar",
    password: options.password ?? "bursar",
    port: options.port ?? 0
  })
  const faucet = makeFaucet(node, wallet, mineWaiting)
  const control = yield* ControlServer.make(bitcoinControls(node, faucet, server), options.controlPort)

  if (stateFile !== undefined) {
    const save = saving(stateFile, node)
    yield* save
    yield* Effect.addFinalizer(() => Effect.ignore(save))
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(save), Schedule.spaced(saveEvery)))
  }
  if (blockTimeSeconds !== undefined) {
    yield* Effect.forkScoped(Effect.repeat(faucet.mine(1), Schedule.spaced(`${blockTimeSeconds} seconds`)))
  }
  return {
    rpcUrl: server.url,
    controlUrl: control.url,
    funded: { address: funded.address, privateKey: fundedKey, wif: fundedWif },
    faucet,
    faults: server,
    node
  }
})
