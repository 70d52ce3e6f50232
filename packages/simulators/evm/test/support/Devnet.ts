import { Context, Layer } from "effect"
import * as EvmDevnet from "../../src/EvmDevnet.ts"
import type { EvmNetwork } from "../../src/EvmNetwork.ts"

/** One local network for all tests of a file. */
export class Devnet extends Context.Service<Devnet, EvmDevnet.EvmDevnet>()("@bursar/simulator-evm/test/Devnet") {
  /** A fresh network in memory. */
  static readonly layer = (network: EvmNetwork) => Layer.effect(Devnet, EvmDevnet.make({ network }))
}

/** Addresses nobody has used. */
export const externalWallets = {
  alice: "0x00000000000000000000000000000000000A11cE",
  bob: "0x0000000000000000000000000000000000000B0b",
  carol: "0x0000000000000000000000000000000000CA401E"
} as const
