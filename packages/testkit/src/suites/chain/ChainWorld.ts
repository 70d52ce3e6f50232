import type { ChainReader, Memo } from "@bursar/core/port/Chain"
import { Context, type Effect } from "effect"

/** A transaction that is in a block. */
export interface Mined {
  readonly txHash: string
  readonly blockHash: string
}

/** A transaction that is in a block, and who paid. */
export interface Sent extends Mined {
  /** In its canonical form, as the reader tells it; null where the network does not tell. */
  readonly from: string | null
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
 * transactions with several transfers of coin (`sendTwice`) or of a token (`tokenTwice`) to one address, blocks that are replaced (`reorg`), a node that can be broken
 * (`faults`).
 */
export type ChainFeature = "token" | "memo" | "sendTwice" | "tokenTwice" | "reorg" | "faults"

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
    /** Another pinned contract, as the reader reports it; null where the network pins only one. */
    readonly anotherToken: string | null
    /**
     * Odd amounts of coin and of the token, as large as the network, its node and the world allow: above 2^64 where there can be so much, so that they fit
     * neither into 64 bits nor into a double. The suite sends each twice.
     */
    readonly large: { readonly coin: bigint; readonly token: bigint }
    /** Sends coin (`contract` null) or one of the tokens in a transaction of its own; succeeds when that is in a block. */
    readonly send: (to: string, units: bigint, contract: string | null) => Effect.Effect<Sent>
    /** How many blocks must follow a block before it is final, at least; 0 where blocks are never replaced. */
    readonly finalAfter: number
    /** Sends a token of the network that is not pinned, and calls itself what a pinned one does where it can. */
    readonly sendOther: (to: string, units: bigint) => Effect.Effect<Mined>
    /** Puts a transaction into a block that fails there and would have sent the pinned token. */
    readonly sendFailing: (to: string) => Effect.Effect<Mined>
    /** Sends coin with a memo. */
    readonly sendWithMemo: (to: string, units: bigint, memo: Memo) => Effect.Effect<Mined>
    /** Sends coin or the token several times to the same address in one transaction. */
    readonly sendMany: (to: string, amounts: ReadonlyArray<bigint>, contract: string | null) => Effect.Effect<Mined>
    /** Adds blocks, each later than the one before. */
    readonly mine: (count: number) => Effect.Effect<void>
    /** Replaces the last blocks by as many new ones, which contain their transactions again, each in its place or all in the last of them, or do not. */
    readonly reorg: (depth: number, transactions: "kept" | "together" | "dropped") => Effect.Effect<void>
    /** Lets the node misbehave until `heal`. */
    readonly breakNode: (fault: NodeFault) => Effect.Effect<void>
    readonly heal: Effect.Effect<void>
  }
>()("@bursar/testkit/suites/chain/ChainWorld") {}
