import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { Memo } from "@bursar/core/port/Chain"
import type {
  ChainSender,
  SendOrder,
  SignedAttempt,
  ReplayGuard,
  TransactionFormat,
  TransactionSignature
} from "@bursar/core/port/ChainSender"
import { Context, type Effect } from "effect"
import type { NodeFault } from "../chain/ChainWorld.ts"

/**
 * How a node lets its sender down, until it is healed: as readers are let down, and when it is given a transaction:
 * `lost_reply` takes it and breaks the connection, `refuse` does not take it and says so, `duplicate` takes it twice and
 * gives the second answer.
 */
export type SenderFault = NodeFault | "lost_reply" | "refuse" | "duplicate"

/**
 * A network that a test can move, with the sender under test. What the network does not have may die, if the suite is told
 * so. A failure of the world itself is a defect.
 *
 * No transaction comes into a block by itself: what is broadcast waits until `include`. Finality is to be a block away at
 * least, where the network has blocks that can be replaced.
 */
export class SenderWorld extends Context.Service<
  SenderWorld,
  {
    readonly sender: ChainSender
    readonly format: TransactionFormat
    /** The pinned contract of an asset that accounts hold. */
    readonly contract: string
    /**
     * An account of the world's keys that has sent nothing yet. It holds coin for many payments and, where there are
     * contracts, 1,000,000 units of the contract's asset or more, all of it final.
     */
    readonly account: Effect.Effect<string>
    /**
     * Odd amounts of coin and, where there are contracts, of the contract's asset, as large as the network and the world allow: above 2^53 where there can
     * be so much, so that a double does not hold them.
     */
    readonly large: { readonly coin: bigint; readonly token: bigint }
    /** An account as `account` gives, which can pay either of `large`. */
    readonly richAccount: Effect.Effect<string>
    /** How many blocks must follow a block before it is final, at least, and before a rival in it is; 0 where blocks are never replaced. */
    readonly finalAfter: number
    /** An address that can take coin and the contract's asset. */
    readonly receiver: Effect.Effect<string>
    /** A well-formed hash that no transaction has. */
    readonly unknownHash: string
    /** What an address holds, asked of the network itself, past every fault. */
    readonly balance: (address: string, contract: string | null) => Effect.Effect<bigint>
    /** The memo of a transaction that is in a block, asked of the network itself. */
    readonly memoOf: (hash: string) => Effect.Effect<Memo | null>
    /** What the next transaction of an account is to use up; another at each call. */
    readonly take: (account: string) => Effect.Effect<ReplayGuard>
    /** Until when a transaction that is built now is to be valid. */
    readonly validUntil: Effect.Effect<Timestamp>
    /** Signs for an address of the world's keys. */
    readonly sign: (address: string, digest: Uint8Array) => TransactionSignature
    /** Puts all that waits and can be included into a block, which is the newest then and not final. */
    readonly include: Effect.Effect<void>
    /** Makes final whatever is in a block. What waits may come into one. */
    readonly finalize: Effect.Effect<void>
    /** Takes the newest block away, puts an empty one in its place, and lets the node forget its transactions. */
    readonly reorg: Effect.Effect<void>
    /** Puts a transaction into the newest block that the sender knows nothing of and that consumes an order's replay guard. Its hash. */
    readonly rival: (order: SendOrder) => Effect.Effect<string>
    /** Lets the network come to where a transaction can no longer be included, without including it, finally. */
    readonly expire: (transaction: SignedAttempt) => Effect.Effect<void>
    /** Lets transfers of the contract's asset fail on the chain, or lets them succeed again. */
    readonly setPaused: (paused: boolean) => Effect.Effect<void>
    /** Lets the node misbehave until `heal`. */
    readonly breakNode: (fault: SenderFault) => Effect.Effect<void>
    readonly heal: Effect.Effect<void>
  }
>()("@bursar/testkit/suites/sender/SenderWorld") {}

/**
 * What a network has, and its world can show: assets of a contract (`guard`), transactions that do nothing (`noop`), dearer
 * replacements (`replacement`), other transactions at the same replay guard (`rival`), blocks that are replaced (`reorg`),
 * transactions that cannot be included after a while (`expiry`), such that are included and fail (`revert`; needs `guard`),
 * accounts that count their transactions (`sequence`), memos (`memo`), transactions of several payments (`batch`), a node that can be broken
 * (`faults`).
 */
export type SenderFeature =
  | "token"
  | "noop"
  | "replacement"
  | "rival"
  | "reorg"
  | "expiry"
  | "revert"
  | "sequence"
  | "memo"
  | "batch"
  | "faults"
