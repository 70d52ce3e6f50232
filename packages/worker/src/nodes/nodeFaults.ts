import { ChainError } from "@bursar/core/port/Chain"

/** What is wrong with a node, in words that do not change from block to block. */
export type Fault =
  | "does not answer"
  | "contradicts itself"
  | "lacks blocks"
  | "is behind"
  | "is of another chain"
  | "denies a block that others have"

/** What an error says of the node that gave it. */
export const faultOf: Readonly<Record<ChainError["reason"], Fault>> = {
  unreachable: "does not answer",
  inconsistent: "contradicts itself",
  absent: "lacks blocks",
  other_chain: "is of another chain"
}

/** One error that says what each node said, by the reason of the first. */
export const together = (errors: ReadonlyArray<{ readonly name: string; readonly error: ChainError }>): ChainError => {
  const [first] = errors
  if (first === undefined) throw new Error("no node was asked")
  const { doing, network, reason } = first.error
  const detail = errors.map(({ error, name }) => `${name}: ${error.detail}`).join("; ")
  return new ChainError({ network, reason, doing, detail })
}
