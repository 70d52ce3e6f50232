import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import type { OperatedAdapter } from "@bursar/worker/nodes/poolAdapter"
import type { Effect } from "effect"
import type { Random } from "../kernel/Random.ts"
import type { Chain, Paid } from "./Chain.ts"

/** What a process asks its node through: the process may die of it, and the node may be silent. */
export type AskNode = <A, E>(what: string, answer: Effect.Effect<A, E>) => Effect.Effect<A, E>

/** The network of a world, of whatever kind, and those outside who use it. */
export interface WorldNetwork {
  readonly chain: Chain
  /** Its adapters, as one process reaches its nodes: of two operators where there are several. */
  readonly reachedBy: (ask: AskNode) => readonly [OperatedAdapter, ...ReadonlyArray<OperatedAdapter>]
  /** Its adapter over so many of its first blocks, with a node at which nothing goes wrong. */
  readonly asRead: (blocks: number) => NetworkAdapter
  /** The address of a wallet's public key. */
  readonly addressOf: (publicKey: Uint8Array) => string
  /** An address of nobody here. */
  readonly stranger: (random: Random) => string
  /** Gives an account something that is there to stay. */
  readonly endow: (account: string, contract: string | null, units: bigint) => void
  /** Somebody outside pays. */
  readonly pay: (random: Random, payment: Paid) => void
  /** How a process reaches a node over the wire, where it does. */
  readonly fetch: typeof fetch | null
}
