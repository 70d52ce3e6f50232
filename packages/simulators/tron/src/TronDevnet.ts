import { Cause, Clock, Effect, Schedule } from "effect"
import type { Scope } from "effect"
import * as ControlServer from "@bursar/simulator-kit/ControlServer"
import type { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { addressOfKey } from "./account.ts"
import { base58Of } from "./address.ts"
import { type Chain, makeChain } from "./Chain.ts"
import { loadChain, saveChain } from "./chainFile.ts"
import { fundedKey } from "./genesis.ts"
import type { Transaction } from "./Transaction.ts"
import { tronControls } from "./tronControls.ts"
import * as TronFaucet from "./TronFaucet.ts"
import * as TronNode from "./TronNode.ts"

/** How the local tron network is to behave. Ports: 0 or absent takes a free one. */
export interface TronDevnetOptions {
  readonly nodePort?: number
  readonly controlPort?: number
  /**
   * When blocks are made: `interval`, the default, every `blockIntervalMs`; `automine`, one for each transaction as soon as it
   * arrives; `manual`, only when told to.
   */
  readonly mining?: "interval" | "automine" | "manual"
  /** Default 3,000, as on the main network. */
  readonly blockIntervalMs?: number
  /** How many blocks below the newest one the newest solidified block is. Default 2, some 18 on the main network. */
  readonly solidifiedLag?: number
  /** Where the chain is loaded from at start and saved to at stop and every few seconds; absent means memory only. */
  readonly stateFile?: string
}

/** A complete local tron network. */
export interface TronDevnet {
  /** What Bursar talks to: java-tron's HTTP API. */
  readonly nodeUrl: string
  readonly controlUrl: string
  /** What a reader must find at height 0. */
  readonly genesisBlockId: string
  /** Private key, in hexadecimal, of an account with a million TRX and tokens. It is public knowledge: for local use only. */
  readonly fundedKey: string
  /** In base58. */
  readonly fundedAddress: string
  readonly faucet: TronFaucet.TronFaucet
  readonly faults: TronNode.TronNode
}

const blockIntervalMsDefault = 3_000
const solidifiedLagDefault = 2
const saveEvery = "2 seconds"

/** Saves at intervals while there is something new, and once more when the scope closes. */
const keepSaved = Effect.fnUntraced(function* (path: string, chain: Chain) {
  let saved = ""
  const save = Effect.suspend(() => {
    const snapshot = chain.snapshot()
    if (snapshot.head === saved) return Effect.void
    return Effect.tap(saveChain(path, snapshot), () =>
      Effect.sync(() => {
        saved = snapshot.head
      })
    )
  })
  const reported = Effect.catch(save, (error) => Effect.logError("simulator.not_saved", Cause.fail(error)))
  yield* Effect.addFinalizer(() => reported)
  yield* Effect.forkScoped(Effect.repeat(reported, Schedule.spaced(saveEvery)))
})

/**
 * Starts a node that speaks java-tron's HTTP and checks transactions for real, with its controls.
 *
 * **Details**
 *
 * Checked are the hash and the signature, the reference to a block, the expiration, duplicates, balances, bandwidth, activation,
 * energy and its limit. There are two kinds of transactions, TransferContract and TriggerSmartContract, and as contracts the
 * tokens of `contracts.ts` and a splitter. Nobody can stake, so energy is always burnt for.
 */
export const make = Effect.fn("TronDevnet.make")(function* (
  options: TronDevnetOptions = {}
): Effect.fn.Return<TronDevnet, DevnetError, Scope.Scope> {
  const { mining = "interval", solidifiedLag = solidifiedLagDefault, stateFile } = options
  const chain = stateFile === undefined ? makeChain(solidifiedLag) : yield* loadChain(stateFile, solidifiedLag)
  if (stateFile !== undefined) yield* keepSaved(stateFile, chain)
  const submit = (transaction: Transaction, now: number): void => {
    chain.submit(transaction, now)
    if (mining === "automine") chain.mine(now)
  }
  const mine = Effect.map(Clock.currentTimeMillis, chain.mine)
  // The first block is of long ago; with one of today a wallet can make transactions that are not long expired.
  yield* mine
  if (mining === "interval") {
    const interval = options.blockIntervalMs ?? blockIntervalMsDefault
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(interval), mine)))
  }
  const faucet = TronFaucet.make(chain, submit)
  const faults = yield* TronNode.make(chain, submit, options.nodePort)
  const control = yield* ControlServer.make(tronControls(faucet, faults), options.controlPort)
  return {
    nodeUrl: faults.url,
    controlUrl: control.url,
    genesisBlockId: chain.at(0)?.id ?? "",
    fundedKey,
    fundedAddress: base58Of(addressOfKey(fundedKey)),
    faucet,
    faults
  }
})
