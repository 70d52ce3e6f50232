import type { Effect } from "effect"
import type { BlockRef, ChainError, Tip } from "@bursar/core/port/Chain"
import { CannotBuild } from "@bursar/core/port/ChainSender"
import type { EvmNetworkFacts } from "../facts.ts"
import type { SignedReader } from "./signedReader.ts"
import type { NodeRefusal } from "../rpc/NodeAnswer.ts"
import type { Rpc } from "../rpc/Rpc.ts"
import type { GasPrices } from "./gasPrices.ts"
import type { Reading } from "./purpose.ts"
import type { SimulationMemory } from "./simulate.ts"

/** What many transactions want to know at the same moment: each answer is read once for all of them, after the last has asked. */
export interface SharedReads {
  readonly tip: Effect.Effect<Tip, ChainError>
  readonly headerAt: (number: number) => Effect.Effect<BlockRef, ChainError>
  /** How many transactions of an account there are in the newest block. */
  readonly countOf: (account: string) => Effect.Effect<bigint, ChainError>
  /** What an address holds of a contract's asset (null: of coin) in the newest block. */
  readonly balanceOf: (held: {
    readonly address: string
    readonly contract: string | null
  }) => Effect.Effect<bigint, ChainError | NodeRefusal>
}

/** What the parts of a sender share. */
export interface SenderContext extends Reading, SharedReads, SimulationMemory {
  /** Questions of the same moment share a request. */
  readonly reads: Rpc
  /** Transactions of the same moment are handed in with one request; one by one where the node refuses that. */
  readonly sends: Rpc
  /** One request a call: for whole blocks. */
  readonly calls: Rpc
  /** No older than a moment. */
  readonly prices: Effect.Effect<GasPrices, ChainError>
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
