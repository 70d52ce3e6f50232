import { Keypair } from "@stellar/stellar-sdk/base"
import { Cause, Clock, Effect, Schedule } from "effect"
import type { Scope } from "effect"
import * as ControlServer from "@bursar/simulator-kit/ControlServer"
import type { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { type Chain, makeChain } from "./Chain.ts"
import { loadChain, saveChain } from "./chainFile.ts"
import { fundedSecret } from "./genesis.ts"
import { passphraseDefault, usdc } from "./network.ts"
import { stellarControls } from "./stellarControls.ts"
import * as StellarFaucet from "./StellarFaucet.ts"
import * as StellarNode from "./StellarNode.ts"

/** How the local stellar network is to behave. Ports: 0 or absent takes a free one. */
export interface StellarDevnetOptions {
  /** Of Horizon, and below `/rpc` of Stellar RPC. */
  readonly nodePort?: number
  readonly controlPort?: number
  /**
   * When ledgers are closed: `interval`, the default, every `ledgerIntervalMs`; `automine`, one for each transaction as soon
   * as it arrives; `manual`, only when told to.
   */
  readonly mining?: "interval" | "automine" | "manual"
  /** Default 1,000; 5,000 or more on the main network. */
  readonly ledgerIntervalMs?: number
  /** How long Horizon waits for a transaction to come into a ledger before it answers 504. Default 30,000. */
  readonly submitTimeoutMs?: number
  /** What transactions are signed for. Default that of the SDK's `Networks.STANDALONE`. */
  readonly networkPassphrase?: string
  /** Where the network is loaded from at start and saved to at stop and every few seconds; absent means memory only. */
  readonly stateFile?: string
}

/** A complete local stellar network. */
export interface StellarDevnet {
  readonly horizonUrl: string
  readonly rpcUrl: string
  readonly controlUrl: string
  readonly networkPassphrase: string
  /** Secret key (`S…`) of an account with ten million XLM and USDC. It is public knowledge: for local use only. */
  readonly fundedSecret: string
  readonly fundedAddress: string
  /** The dollars of the main network, as code and issuer. */
  readonly usdc: string
  readonly faucet: StellarFaucet.StellarFaucet
  readonly faults: StellarNode.StellarNode
}

const ledgerIntervalMsDefault = 1_000
const submitTimeoutMsDefault = 30_000
const saveEvery = "2 seconds"

/** Saves at intervals while there is something new, and once more when the scope closes. */
const keepSaved = Effect.fnUntraced(function* (path: string, chain: Chain) {
  let saved = ""
  const save = Effect.suspend(() => {
    const snapshot = chain.snapshot()
    if (snapshot.head === saved) return Effect.void
    return Effect.tap(saveChain(path, chain.passphrase, snapshot), () =>
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
 * Closes a ledger at every interval; at every second one only while the network is ahead of the clock, which it comes to be
 * when ledgers are closed on demand, so that the clock catches up.
 */
const keepClosing = Effect.fnUntraced(function* (faucet: StellarFaucet.StellarFaucet, intervalMs: number) {
  let skipped = false
  const tick = Effect.flatMap(Clock.currentTimeMillis, (ms) => {
    skipped = !skipped && faucet.chain.head().time * 1_000 > ms
    return skipped ? Effect.void : faucet.close(1)
  })
  return yield* Effect.forever(Effect.andThen(Effect.sleep(intervalMs), tick))
})

const closing = { interval: "in time", automine: "at once", manual: "when told" } as const

/**
 * Starts a node that speaks Horizon and Stellar RPC and checks transactions for real, with its controls.
 *
 * **Details**
 *
 * Checked are signatures by weight, sequences, time and ledger bounds, fees, transactions that pay for others, reserves,
 * and trustlines with their limits and consent. Known are the operations that move coin and assets or set up accounts; paths
 * lead between XLM and USDC alone, one for one. There are no offers, claimable balances, sponsorships or contracts, and
 * Horizon streams nothing.
 */
export const make = Effect.fn("StellarDevnet.make")(function* (
  options: StellarDevnetOptions = {}
): Effect.fn.Return<StellarDevnet, DevnetError, Scope.Scope> {
  const { mining = "interval", networkPassphrase = passphraseDefault, stateFile } = options
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
  const chain =
    stateFile === undefined ? makeChain(networkPassphrase, now) : yield* loadChain(stateFile, networkPassphrase, now)
  if (stateFile !== undefined) yield* keepSaved(stateFile, chain)
  const faucet = StellarFaucet.make(chain, closing[mining])
  if (mining === "interval") {
    yield* Effect.forkScoped(keepClosing(faucet, options.ledgerIntervalMs ?? ledgerIntervalMsDefault))
  }
  const faults = yield* StellarNode.make(faucet, options.submitTimeoutMs ?? submitTimeoutMsDefault, options.nodePort)
  const control = yield* ControlServer.make(stellarControls(faucet, faults), options.controlPort)
  return {
    horizonUrl: faults.horizonUrl,
    rpcUrl: faults.rpcUrl,
    controlUrl: control.url,
    networkPassphrase,
    fundedSecret,
    fundedAddress: Keypair.fromSecret(fundedSecret).publicKey(),
    usdc,
    faucet,
    faults
  }
})
