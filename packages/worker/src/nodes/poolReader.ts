import { type Block, ChainError, type ChainReader, type NodeOpinion, type NodeRecord } from "@bursar/core/port/Chain"
import { Clock, Effect } from "effect"
import { agreedHoldings } from "./agreedHoldings.ts"
import { defaultNodeLimits, makeNodePool, type NodePool, type NodePoolOptions } from "./NodePool.ts"
import { countedReader, makeNodeTally } from "./NodeTally.ts"
import { opinionsOf } from "./opinions.ts"
import { byOperator, nodeName, type Readers } from "./operators.ts"
import { poolMempool } from "./poolMempool.ts"

type Compare = NonNullable<ChainReader["balanceChanges"]>

/** Whether operators agree that a block is gone. */
const isReplaced = (opinions: ReadonlyArray<NodeOpinion>): boolean => {
  const count = (tag: NodeOpinion["says"]["_tag"]) => opinions.filter(({ says }) => says._tag === tag).length
  return count("Same") === 0 && count("Other") > 1
}

/** Readers whose questions are counted, and how their nodes did. */
const tallied = ([first, ...rest]: Readers, operators: NonNullable<NodePoolOptions["operators"]>) => {
  const count = 1 + rest.length
  const counted = (reader: ChainReader, index: number) => {
    const tally = makeNodeTally()
    const operator = operators[index]
    const record = (current: number): Effect.Effect<NodeRecord> =>
      Effect.map(tally.figures, (figures) => ({
        node: nodeName(index, count, operator),
        operator: operator ?? null,
        isAsked: index === current,
        ...figures
      }))
    return { reader: countedReader(reader, tally), record }
  }
  const one = counted(first, 0)
  const others = rest.map((reader, index) => counted(reader, index + 1))
  const readers: Readers = [one.reader, ...others.map(({ reader }) => reader)]
  return {
    readers,
    nodes: (current: () => number) =>
      Effect.suspend(() => Effect.forEach([one, ...others], ({ record }) => record(current())))
  }
}

/** For so long a node that may keep the state of a block is waited for while it does not answer: then what others tell is enough. */
const silenceMs = 600_000

/**
 * Asked less often than that, nobody knows whether a node has been silent all the time. Searches of the past and orders ask ever more rarely:
 * were it shorter than their longest wait (`backfillRetryLongestMs`), theirs would never be over.
 */
const askedWithinMs = 1_200_000

/** Whether nodes have been silent for too long to be waited for. */
const makePatience = () => {
  let silent: { readonly since: number; readonly last: number } | undefined
  return {
    heard: Effect.sync(() => {
      silent = undefined
    }),
    isOver: Effect.map(Clock.currentTimeMillis, (now) => {
      const goesOn = silent !== undefined && now - silent.last <= askedWithinMs
      silent = { since: goesOn ? (silent?.since ?? now) : now, last: now }
      return now - silent.since >= silenceMs
    })
  }
}

/**
 * Reads a block from the first node that can tell all of it. Where none keeps the state, it is what the first of them told. One that only does not
 * answer now may keep it: it is waited for.
 */
const makeBlockOf = (pool: NodePool, readers: Readers) => {
  const patience = makePatience()
  return (hash: string): Effect.Effect<Block, ChainError> =>
    Effect.suspend(() => {
      let partial: Block | undefined
      const answered = new Set<number>()
      // the places of the pool are those of the list
      const at = (index: number) => readers[index] as ChainReader
      const whole = (index: number) =>
        at(index)
          .block(hash)
          .pipe(
            Effect.tapError(({ reason }) => Effect.sync(() => reason !== "unreachable" && answered.add(index))),
            Effect.flatMap((block) => {
              if (block.isStateGone !== true) return Effect.succeed(block)
              partial ??= block
              answered.add(index)
              const detail = "the node keeps the state of the block no more"
              return Effect.fail(
                new ChainError({ network: at(index).network, reason: "absent", doing: `read block ${hash}`, detail })
              )
            })
          )
      return pool.ask<Block, never>(whole, { behindToo: true }).pipe(
        // only then was a node asked that may have been silent
        Effect.tap(() => (partial === undefined ? Effect.void : patience.heard)),
        Effect.catch((error) => {
          const told = partial
          if (told === undefined) return Effect.fail(error)
          if (answered.size === readers.length) return Effect.as(patience.heard, told)
          const { detail, doing, network } = error
          const silence = new ChainError({ network, reason: "unreachable", doing, detail })
          return Effect.flatMap(patience.isOver, (isOver) => (isOver ? Effect.succeed(told) : Effect.fail(silence)))
        })
      )
    })
}

/**
 * One reader over several nodes of a network, in order of preference; with one node, that node's. It counts how each node does. The tip never goes back in height.
 * A block is read whole from one node, before others one that keeps its state. Each reader must fail while it is not certain that its node is of the right chain. Where nodes are
 * of two operators at least, each can be asked what it says of a block, and what addresses hold is told only where two say the same.
 */
export const poolReader = (
  given: Readers,
  { limits = defaultNodeLimits, operators = [] }: Omit<NodePoolOptions, "use"> = {}
): ChainReader => {
  const { nodes, readers } = tallied(given, operators)
  const [first] = readers
  if (readers.length === 1) return { ...first, nodes: nodes(() => 0) }
  const pool = makeNodePool(readers, { use: "reading", limits, operators })
  const operated = byOperator(readers.map((_, index) => operators[index]))
  const opinions = opinionsOf(readers, operated, limits.opinionTimeoutMs)
  // The places of the pool are those of the list.
  const at = (index: number) => readers[index] as ChainReader
  const opened = readers.flatMap(({ mempool }) => (mempool === undefined ? [] : [mempool]))
  // Readers of one network are of one kind: what one of them can be asked, all can.
  const balanceChanges = readers.flatMap((reader) => reader.balanceChanges ?? [])
  return {
    ...first,
    nodes: nodes(pool.current),
    ...(operated.size > 1 && {
      several: {
        opinions: (block) => Effect.tap(opinions(block), (all) => (isReplaced(all) ? pool.absolve : Effect.void)),
        distrust: pool.distrust
      }
    }),
    ...(opened.length === readers.length ? { mempool: () => poolMempool(pool.current, opened) } : {}),
    tip: pool.tip,
    header: (number) => pool.ask((index) => at(index).header(number)),
    block: makeBlockOf(pool, readers),
    blockAt: (time) => pool.ask((index) => at(index).blockAt(time)),
    holdings:
      operated.size > 1
        ? agreedHoldings({ readers, pool, operators: operated, timeoutMs: limits.opinionTimeoutMs })
        : (addresses, block) => pool.ask((index) => at(index).holdings(addresses, block)),
    ...(balanceChanges.length === readers.length
      ? {
          balanceChanges: (block, addresses) =>
            pool.ask((index) => (balanceChanges[index] as Compare)(block, addresses))
        }
      : {})
  }
}
