/** What a reader has learned of its node, so that it does not ask in vain for every block. It changes as it learns. */
export interface NodeTraits {
  /** The methods that the node has said it does not have. */
  readonly missing: Set<string>
  /** Whether the node runs our tracer as it is meant; `untried` until it was asked. */
  tracer: "untried" | "sound" | "none"
}

/** Nothing learned yet. */
export const newTraits = (): NodeTraits => ({ missing: new Set(), tracer: "untried" })
