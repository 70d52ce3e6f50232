import type { BlockRef, ChainReader, NodeOpinion } from "@bursar/core/port/Chain"
import { Effect } from "effect"
import type { OperatedNode } from "./operators.ts"

/** What one node says of a block. */
const said = Effect.fnUntraced(function* (
  reader: ChainReader,
  { hash, number }: Pick<BlockRef, "hash" | "number">,
  timeoutMs: number
): Effect.fn.Return<NodeOpinion["says"]> {
  const silent = (detail: string): NodeOpinion["says"] => ({ _tag: "Silent", detail })
  const asked = Effect.gen(function* () {
    const { confirmed, latest, unseen } = yield* reader.tip
    if (latest.number < number) return silent(`it is at block ${latest.number}, below block ${number}`)
    const header = yield* reader.header(number)
    if (header.number !== number) return silent(`its header of block ${number} says that it is ${header.number}`)
    const isFinal = confirmed >= number
    if (header.hash !== hash) return { _tag: "Other", isFinal, hash: header.hash } as const
    return { _tag: "Same", isFinal, block: reader.block(hash), ...(unseen === undefined ? {} : { unseen }) } as const
  })
  return yield* asked.pipe(
    Effect.catch((error) => Effect.succeed(silent(error.detail))),
    Effect.catchDefect(() => Effect.succeed(silent("asking it failed"))),
    Effect.timeoutOrElse({
      duration: timeoutMs,
      orElse: () => Effect.succeed(silent(`no answer within ${timeoutMs} ms`))
    })
  )
})

/** What one operator says of a block, by the first of its nodes that answers. */
const ofOperator = Effect.fnUntraced(function* (
  operator: string,
  nodes: ReadonlyArray<OperatedNode>,
  ask: (index: number) => Effect.Effect<NodeOpinion["says"]>
): Effect.fn.Return<NodeOpinion> {
  let opinion: NodeOpinion = { node: "no node", operator, says: { _tag: "Silent", detail: "it has no node" } }
  for (const { index, name } of nodes) {
    opinion = { node: name, operator, says: yield* ask(index) }
    if (opinion.says._tag !== "Silent") return opinion
  }
  return opinion
})

/** Asks a node of each operator about a block, all at once. */
export const opinionsOf =
  (
    readers: ReadonlyArray<ChainReader>,
    operators: ReadonlyMap<string, ReadonlyArray<OperatedNode>>,
    timeoutMs: number
  ) =>
  (block: Pick<BlockRef, "hash" | "number">): Effect.Effect<ReadonlyArray<NodeOpinion>> =>
    Effect.forEach(
      operators,
      // the places are those of the readers
      ([operator, nodes]) =>
        ofOperator(operator, nodes, (index) => said(readers[index] as ChainReader, block, timeoutMs)),
      { concurrency: "unbounded" }
    )
