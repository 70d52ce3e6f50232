import { ChainError, type ChainReader, type Holding, type Holdings } from "@bursar/core/port/Chain"
import { Effect, Result } from "effect"
import type { NodePool } from "./NodePool.ts"
import { countDisputed } from "./nodeMetrics.ts"
import { nodeName, type OperatedNode, type Readers } from "./operators.ts"
import { askElsewhere } from "./otherOperators.ts"

/** How often nodes are asked, where they answer of different blocks: on some networks each tells of its own newest. */
const triesMax = 4

const againInMs = 500

/** The nodes of a network that are of several operators. */
export interface OperatedReaders {
  readonly readers: Readers
  readonly pool: NodePool
  readonly operators: ReadonlyMap<string, ReadonlyArray<OperatedNode>>
  readonly timeoutMs: number
}

const amounts = (held: ReadonlyArray<Holding>): ReadonlyMap<string, bigint> =>
  new Map(
    held.flatMap(({ address, contract, units }) =>
      units === 0n ? [] : [[`${address} ${contract ?? "native"}`, units]]
    )
  )

/** In what two answers differ, in words; undefined where they say the same. */
const differenceOf = (one: Holdings, other: Holdings): string | undefined => {
  const [ours, theirs] = [amounts(one.held), amounts(other.held)]
  const key = [...ours.keys(), ...theirs.keys()].find((each) => ours.get(each) !== theirs.get(each))
  return key === undefined ? undefined : `${key}: ${ours.get(key) ?? 0n} and ${theirs.get(key) ?? 0n}`
}

/** How the answer of another operator stands to the first. Answers of different blocks dispute nothing. */
const standOf = (first: Holdings, other: Holdings): "agrees" | "denies" | "elsewhere" => {
  const isSame = differenceOf(first, other) === undefined
  if (first.block.hash === other.block.hash) return isSame ? "agrees" : "denies"
  return "elsewhere"
}

/**
 * What addresses hold where nodes of two operators say the same of the same block. Where they contradict each other, operators are called
 * and there is no answer, as there is none where no second one tells: what one node alone says must neither show a loss nor hide one.
 */
export const agreedHoldings =
  ({ operators, pool, readers, timeoutMs }: OperatedReaders): ChainReader["holdings"] =>
  (addresses, at) =>
    Effect.gen(function* () {
      const { network } = readers[0]
      const doing = "ask a second node what addresses hold"
      // places come from the list of readers itself
      const readerAt = (index: number) => readers[index] as ChainReader
      const operatorOf = (index: number) =>
        [...operators].find(([, nodes]) => nodes.some((node) => node.index === index))?.[0]
      let why = ""
      for (let tries = 0; tries < triesMax; tries++) {
        if (tries > 0) yield* Effect.sleep(againInMs)
        const { first, index } = yield* pool.ask((place) =>
          Effect.map(readerAt(place).holdings(addresses, at), (holdings) => ({ first: holdings, index: place }))
        )
        const said = yield* askElsewhere(operators, index, timeoutMs, (place) =>
          readerAt(place).holdings(addresses, first.block)
        )
        const answers = said.flatMap(({ answer, node }) =>
          Result.isSuccess(answer) ? [{ node, other: answer.success, stand: standOf(first, answer.success) }] : []
        )
        const denying = answers.find(({ stand }) => stand === "denies")
        if (denying !== undefined) {
          const asked = nodeName(index, readers.length, operatorOf(index))
          const detail = `${asked} and ${denying.node} contradict each other as of block ${first.block.number}: ${differenceOf(first, denying.other)}`
          yield* Effect.annotateLogs(Effect.logError("network.balance_disputed"), { network, said: detail })
          yield* countDisputed(network, "balance")
          return yield* new ChainError({ network, reason: "inconsistent", doing, detail })
        }
        if (answers.some(({ stand }) => stand === "agrees")) return first
        why = said
          .map(({ answer, node }) =>
            Result.isSuccess(answer)
              ? `${node} tells of block ${answer.success.block.number}, not of ${first.block.number}`
              : `${node}: ${answer.failure.detail}`
          )
          .join("; ")
      }
      return yield* new ChainError({ network, reason: "unreachable", doing, detail: why })
    })
