import { Effect } from "effect"
import type { Scope } from "effect"
import * as ControlServer from "@bursar/simulator-kit/ControlServer"
import type { DevnetError } from "@bursar/simulator-kit/DevnetError"
import * as Anvil from "./Anvil.ts"
import type { AnvilOptions } from "./Anvil.ts"
import { evmControls } from "./evmControls.ts"
import * as FaultProxy from "./FaultProxy.ts"
import * as Faucet from "./Faucet.ts"
import * as Rpc from "./Rpc.ts"
import { install } from "./tokens.ts"

/** Anvil's options, and the ports of what stands before it; 0 or absent takes a free one. */
export interface EvmDevnetOptions extends AnvilOptions {
  readonly proxyPort?: number
  readonly controlPort?: number
}

/** A complete local EVM network. */
export interface EvmDevnet {
  readonly anvil: Anvil.Anvil
  /** What Bursar talks to: anvil behind the fault proxy. */
  readonly rpcUrl: string
  readonly controlUrl: string
  readonly faucet: Faucet.Faucet
  readonly faults: FaultProxy.FaultProxy
}

/**
 * Starts anvil, places the test tokens and contracts, and puts the fault proxy and the control server before it. The
 * faucet talks to anvil itself, past the faults.
 */
export const make = Effect.fn("EvmDevnet.make")(function* (
  options: EvmDevnetOptions
): Effect.fn.Return<EvmDevnet, DevnetError, Scope.Scope> {
  const anvil = yield* Anvil.make(options)
  const rpc = Rpc.make(anvil.rpcUrl)
  yield* install(rpc, options.network)
  const faucet = Faucet.make(rpc, options.network)
  const faults = yield* FaultProxy.make(anvil.rpcUrl, options.proxyPort)
  const control = yield* ControlServer.make(evmControls(options.network, faucet, faults), options.controlPort)
  return { anvil, rpcUrl: faults.url, controlUrl: control.url, faucet, faults }
})
