import type { ChainError } from "@bursar/core/port/Chain"
import type { ChainSender } from "@bursar/core/port/ChainSender"
import type { Network } from "@bursar/core/money/Network"
import { type Effect, Result } from "effect"
import type { SaidElsewhere } from "./otherOperators.ts"
import type { SenderNode } from "./SenderNode.ts"

/** What nodes of several operators are compared by. */
export interface SeveralNodes {
  readonly network: Network
  readonly name: (index: number) => string
  /** Asks one node as the pool chooses it, and says which one. */
  readonly ask: <A, E>(
    question: (sender: ChainSender) => Effect.Effect<A, ChainError | E>
  ) => Effect.Effect<{ readonly answer: A; readonly index: number }, ChainError | E>
  /** Asks a node of each operator but that of the node at `index`. */
  readonly elsewhere: <A>(
    index: number,
    question: (node: SenderNode) => Effect.Effect<A, ChainError>
  ) => Effect.Effect<ReadonlyArray<SaidElsewhere<A>>>
}

/** What nodes of other operators said in words, for operators. */
export const wordsElsewhere = <A>(said: ReadonlyArray<SaidElsewhere<A>>, of: (answer: A) => string): string =>
  said
    .map(({ answer, node }) => `${node}: ${Result.isSuccess(answer) ? of(answer.success) : answer.failure.detail}`)
    .join("; ")
