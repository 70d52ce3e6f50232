import type { Effect } from "effect"
import type { ChainError, Tip } from "@bursar/core/port/Chain"
import { CannotBuild } from "@bursar/core/port/ChainSender"
import type { EvmNetworkFacts } from "../facts.ts"
import type { SignedReader } from "./signedReader.ts"
import type { Rpc } from "../rpc/Rpc.ts"
import type { GasPrices } from "./gasPrices.ts"
import type { Reading } from "./purpose.ts"
import type { SimulationMemory } from "./simulate.ts"

/** What the parts of a sender share. */
export interface SenderContext extends Reading, SimulationMemory {
  /** Questions of the same moment share a request. */
  readonly reads: Rpc
  /** Transactions of the same moment are handed in with one request; one by one where the node refuses that. */
  readonly sends: Rpc
  /** One request a call: for whole blocks. */
  readonly calls: Rpc
  /** No older than a moment. */
  readonly prices: Effect.Effect<GasPrices, ChainError>
  readonly tip: Effect.Effect<Tip, ChainError>
  /** The most that is ever bid for a unit of gas, in wei. */
  readonly feeCapPerGas: bigint
  /** Whether posting to another network is charged beside the gas. */
  readonly rollup: EvmNetworkFacts["rollup"]
  /** Reads what was stored. */
  readonly readSigned: SignedReader
}

/** The reason why something cannot be built, in the network's name. */
export const cannotBuild = (
  { network }: SenderContext,
  reason: CannotBuild["reason"],
  detail: string,
  missing: CannotBuild["missing"] = null
): CannotBuild => new CannotBuild({ network, reason, detail, missing })
