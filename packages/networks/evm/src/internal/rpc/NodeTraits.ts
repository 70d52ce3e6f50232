import { makeMissing, type Missing } from "@bursar/network-kit/missing"

/** What a reader has learned of its node, so that it does not ask in vain for every block. It changes as it learns. */
export interface NodeTraits {
  /** The methods that the node has said it does not have, and the tracers of others (`ownTracers`). */
  readonly missing: Missing
  /** Whether the node runs our tracer as it is meant; `untried` until it has answered. */
  tracer: "untried" | "sound" | "unsound"
}

/** Stands among what is missing for the tracers of others: the node runs none but its own. */
export const ownTracers = "tracers"

/** Nothing learned yet. */
export const newTraits = (): NodeTraits => ({ missing: makeMissing(), tracer: "untried" })
