import type { ChainError, Tip } from "@bursar/core/port/Chain"
import type { Network } from "@bursar/core/money/Network"
import type { StorageError } from "@bursar/core/engine/StorageError"
import { toIso } from "@bursar/core/base/Timestamp"
import { Cause, Schema } from "effect"
import type { HeldSummary } from "./secondNode/tell.ts"

/**
 * The node's chain has nothing in common with the blocks that are remembered: it was replaced deeper than the network
 * can be, or the node is on another chain. Nothing can be concluded, so nothing is changed.
 */
export class ReorgTooDeep extends Schema.TaggedError<ReorgTooDeep>()("ReorgTooDeep", {
  network: Schema.String,
  /** The lowest block that is remembered, and its hash. */
  lowest: Schema.Number,
  hash: Schema.String
}) {}

/** What keeps a watcher from doing its work, in words for an operator. Logged when `kind` changes. */
export interface Problem {
  readonly kind: string
  readonly text: string
  /** What is only for the log. */
  readonly cause?: Cause.Cause<unknown>
}

const meaning: Readonly<Record<ChainError["reason"], string>> = {
  unreachable: "The node does not answer",
  inconsistent: "The node contradicts itself, so nothing that it says is used",
  absent: "The node does not have a block that it should have, or does not keep enough of the past",
  other_chain: "The node is of another chain, so nothing that it says is used"
}

/** Words for a node that could not be read. */
export const chainProblem = (error: ChainError): Problem => ({
  kind: error.reason,
  text: `${meaning[error.reason]} (${error.doing}: ${error.detail}). Trying again.`
})

/** Words for a storage that could not be used. */
export const storageProblem = (error: StorageError): Problem => ({
  kind: "storage",
  text: `The storage failed (${error.doing}). Trying again.`,
  cause: Cause.fail(error.cause)
})

/** Words for a halt. */
export const tooDeepProblem = ({ hash, lowest }: ReorgTooDeep): Problem => ({
  kind: "halted",
  text:
    `HALTED: the node's chain does not contain block ${lowest} (${hash}), the oldest that could still be replaced. ` +
    "Either the network was reorganised deeper than its limit or the node is on another chain. " +
    "Nothing is read, confirmed or reversed until the node agrees again or an operator steps in."
})

/** Words for a node that is behind what was read from it before. */
export const lagProblem = (network: Network, latest: number, cursor: number): Problem => ({
  kind: "lagging",
  text: `The node of ${network} is at block ${latest}, behind block ${cursor} that was read already. Waiting for it to catch up.`
})

/** Words for a bug. */
export const bugProblem = (defect: unknown): Problem => ({
  kind: "bug",
  text: "Reading stopped at an internal error; the log has it. Trying again.",
  cause: Cause.die(defect)
})

/** How many blocks are named in a notice. */
const namedMax = 10

const someOf = (numbers: ReadonlyArray<number>): string => {
  const more = numbers.length - namedMax
  return more > 0 ? `${numbers.slice(0, namedMax).join(", ")} and ${more} more` : numbers.join(", ")
}

/** What a person has to know though reading goes well: what is not confirmed, what is in quarantine, which past blocks are not served, what is not seen, and which nodes fail. */
export const noticeOf = (
  { nodes, unconfirmable, unseen }: Tip,
  quarantined: number,
  held: HeldSummary = { waiting: 0, disputed: 0, since: null },
  failingBackfills = 0,
  failingOrders: ReadonlyArray<number> = []
): string | null => {
  const parts = [
    ...(unconfirmable === undefined ? [] : [`Arrivals are detected and none is confirmed: ${unconfirmable}.`]),
    ...(quarantined === 0
      ? []
      : [`In quarantine: ${quarantined}. Somebody has to look at what could not be read (bursar network quarantine).`]),
    ...(held.since === null
      ? []
      : [
          `Arrivals held for a second node since ${toIso(held.since)}: on ${held.disputed} nodes contradict each other, ` +
            `on ${held.waiting} too few say anything (bursar network held).`
        ]),
    ...(failingBackfills === 0
      ? []
      : [
          `Past deposits that cannot be read now: ${failingBackfills} searches are tried again (bursar address scans).`
        ]),
    ...(failingOrders.length === 0
      ? []
      : [
          `Past blocks that an operator ordered to be read again or passed, and that the node does not serve now: ${someOf(failingOrders)}. Trying again.`
        ]),
    ...(unseen === undefined ? [] : [`Not seen: ${unseen}.`]),
    ...(nodes === undefined ? [] : [`Nodes: ${nodes}.`])
  ]
  return parts.length === 0 ? null : parts.join(" ")
}
