import type { ChainReader, Memo } from "@bursar/core/port/Chain"
import { Context, type Effect } from "effect"

/** A transaction that is in a block. */
export interface Mined {
  readonly txHash: string
  readonly blockHash: string
}

/**
 * How a node lets its reader down, until it is healed: `silent` breaks every connection, `garbage` answers with nonsense,
 * `empty` answers every question with the protocol's word for nothing, `lagging` answers as a node that is three blocks
 * behind.
 */
export type NodeFault = "silent" | "garbage" | "empty" | "lagging"

/** All of them. */
export const nodeFaults: ReadonlyArray<NodeFault> = ["silent", "garbage", "empty", "lagging"]

/**
 * What a network has, and its world can show: tokens, of which some are pinned and transfers may fail (`token`), memos,
 * transactions with two transfers to one address (`sendTwice`), blocks that are replaced (`reorg`), a node that can be broken
 * (`faults`).
 */
export type ChainFeature = "token" | "memo" | "sendTwice" | "reorg" | "faults"

/**
 * A network that a test can move, with the reader under test. What the network does not have may die, if the suite is told
 * so. A failure of the world itself is a defect.
 */
export class ChainWorld extends Context.Service<
  ChainWorld,
  {
    readonly reader: ChainReader
    /** An address that has received nothing yet, in its canonical form. */
    readonly address: Effect.Effect<string>
    /** A well-formed block hash that no block has. */
    readonly unknownHash: string
    /** The pinned contract of a token of the network, as its reader reports it. */
    readonly token: string
    /** Sends coin (`contract` null) or the token in a transaction of its own; succeeds when that is in a block. */
    readonly send: (to: string, units: bigint, contract: string | null) => Effect.Effect<Mined>
    /** How many blocks must follow a block before it is final, at least; 0 where blocks are never replaced. */
    readonly finalAfter: number
    /** Sends a token of the network that is not pinned, and calls itself what a pinned one does where it can. */
    readonly sendOther: (to: string, units: bigint) => Effect.Effect<Mined>
    /** Puts a transaction into a block that fails there and would have sent the pinned token. */
    readonly sendFailing: (to: string) => Effect.Effect<Mined>
    /** Sends coin with a memo. */
    readonly sendWithMemo: (to: string, units: bigint, memo: Memo) => Effect.Effect<Mined>
    /** Sends coin twice to the same address in one transaction. */
    readonly sendTwice: (to: string, first: bigint, second: bigint) => Effect.Effect<Mined>
    /** Adds blocks, each later than the one before. */
    readonly mine: (count: number) => Effect.Effect<void>
    /** Replaces the last blocks by as many new ones, which contain their transactions again, or do not. */
    readonly reorg: (depth: number, transactions: "kept" | "dropped") => Effect.Effect<void>
    /** Lets the node misbehave until `heal`. */
    readonly breakNode: (fault: NodeFault) => Effect.Effect<void>
    readonly heal: Effect.Effect<void>
  }
>()("@bursar/testkit/suites/chain/ChainWorld") {}
