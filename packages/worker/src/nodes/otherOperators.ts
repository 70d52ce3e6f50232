import { ChainError } from "@bursar/core/port/Chain"
import { Effect, Result } from "effect"
import type { OperatedNode } from "./operators.ts"

/** What a node of another operator said to a question. */
export interface SaidElsewhere<A> {
  readonly node: string
  readonly answer: Result.Result<A, ChainError>
}

/**
 * Puts a question to a node of each operator but that of the node at `index`: to the first of its nodes that answers in time. Never
 * fails.
 */
export const askElsewhere = <A>(
  operators: ReadonlyMap<string, ReadonlyArray<OperatedNode>>,
  index: number,
  timeoutMs: number,
  question: (index: number) => Effect.Effect<A, ChainError>
): Effect.Effect<ReadonlyArray<SaidElsewhere<A>>> => {
  const others = [...operators.values()].filter((nodes) => nodes.every((node) => node.index !== index))
  const late = new ChainError({
    network: "",
    reason: "unreachable",
    doing: "ask a second node",
    detail: `no answer within ${timeoutMs} ms`
  })
  const ofOne = Effect.fnUntraced(function* (nodes: ReadonlyArray<OperatedNode>) {
    let said: SaidElsewhere<A> = { node: "no node", answer: Result.fail(late) }
    for (const node of nodes) {
      const asked = question(node.index).pipe(
        Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.fail(late) })
      )
      said = { node: node.name, answer: yield* Effect.result(asked) }
      if (Result.isSuccess(said.answer)) return said
    }
    return said
  })
  return Effect.forEach(others, ofOne, { concurrency: "unbounded" })
}
