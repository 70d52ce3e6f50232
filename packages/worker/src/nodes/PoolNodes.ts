import { type BlockRef, ChainError, type ChainReader, type Tip } from "@bursar/core/port/Chain"
import { Clock, Effect, Result } from "effect"
import { type Fault, faultOf } from "./nodeFaults.ts"
import { countFailover, showNode } from "./nodeMetrics.ts"
import { nodeName, type Readers } from "./operators.ts"

/** One node of a pool, and what is known of it. */
interface PoolNode {
  readonly name: string
  /** Who runs it, where that is known. */
  readonly operator: string | undefined
  readonly reader: ChainReader
  fault: Fault | undefined
  height: number | undefined
  /** When it was last asked where it stands. */
  askedAt: number | undefined
  /** A block that it denied and another node has: it is not used until it has it too. */
  denies: Pick<BlockRef, "hash" | "number"> | undefined
}

/** The nodes of one network in order of preference, which of them is asked, and how high they were. */
export interface PoolNodes {
  readonly network: string
  /** What they are used for, in logs and metrics. */
  readonly use: string
  readonly all: ReadonlyArray<PoolNode>
  /** The place of the node that is asked now. */
  current: number
  /** The height below which a node is behind; it never goes down. */
  highest: number
  /** When it was told. */
  toldAt: number | undefined
}

/** The nodes of some readers, of which nothing is known yet. */
export const makePoolNodes = (
  readers: Readers,
  use: string,
  operators: ReadonlyArray<string | undefined> = []
): PoolNodes => ({
  network: readers[0].network,
  use,
  all: readers.map((reader, index) => ({
    name: nodeName(index, readers.length, operators[index]),
    operator: operators[index],
    reader,
    fault: undefined,
    height: undefined,
    askedAt: undefined,
    denies: undefined
  })),
  current: 0,
  highest: -1,
  toldAt: undefined
})

/** The node at a place of the pool. */
export const nodeAt = ({ all }: PoolNodes, index: number): PoolNode => all[index] as PoolNode // places come from the list itself

/** The places of the nodes that are not asked now, the preferred first. */
export const others = ({ all, current }: PoolNodes): ReadonlyArray<number> =>
  all.map((_, index) => index).filter((index) => index !== current)

/** Shows in the metrics how the nodes are. */
export const showNodes = (nodes: PoolNodes): Effect.Effect<void> =>
  Effect.suspend(() =>
    Effect.forEach(
      nodes.all,
      ({ fault, height, name }, index) =>
        showNode(
          { network: nodes.network, node: name, use: nodes.use },
          {
            well: fault === undefined,
            used: index === nodes.current,
            behindBlocks: fault === "is behind" && height !== undefined ? Math.max(0, nodes.highest - height) : 0
          }
        ),
      { discard: true }
    )
  )

/** Notes what is wrong with a node, or that it is well, and logs it when it changes. */
export const note = (
  { network, use }: PoolNodes,
  node: PoolNode,
  found: { readonly fault: Fault; readonly detail: string } | undefined
): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (node.fault === found?.fault) return Effect.void
    node.fault = found?.fault
    const told = found === undefined ? Effect.logInfo("network.node_well") : Effect.logWarning("network.node_fault")
    return told.pipe(Effect.annotateLogs({ network, use, node: node.name, ...found }))
  })

/** Asks the node at this place from now on. */
export const turnTo = (nodes: PoolNodes, index: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (index === nodes.current) return Effect.void
    const { network, use } = nodes
    const before = nodeAt(nodes, nodes.current)
    nodes.current = index
    return Effect.logWarning("network.node_changed").pipe(
      Effect.annotateLogs({
        network,
        use,
        node: nodeAt(nodes, index).name,
        before: before.name,
        why: before.fault ?? "the one preferred is well again"
      }),
      Effect.andThen(countFailover({ network, use }))
    )
  })

/** Whether a node still denies a block that it is known to have denied. One that does not answer does. */
const stillDenies = Effect.fnUntraced(function* (node: PoolNode): Effect.fn.Return<boolean> {
  const { denies } = node
  if (denies === undefined) return false
  const header = yield* Effect.result(node.reader.header(denies.number))
  if (Result.isFailure(header) || header.success.hash !== denies.hash) return true
  node.denies = undefined
  return false
})

/** Where a node stands. One that is behind what was told fails. It waits without end where no time is given. */
export const stand = Effect.fnUntraced(function* (
  nodes: PoolNodes,
  node: PoolNode,
  timeoutMs: number | undefined
): Effect.fn.Return<Tip, ChainError> {
  const { highest, network } = nodes
  const failed = (detail: string) =>
    new ChainError({ network, reason: "unreachable", doing: "read where the nodes stand", detail })
  const asked = yield* Effect.result(
    timeoutMs === undefined
      ? node.reader.tip
      : Effect.timeoutOrElse(node.reader.tip, {
          duration: timeoutMs,
          orElse: () => Effect.fail(failed(`no answer within ${timeoutMs} ms`))
        })
  )
  node.askedAt = yield* Clock.currentTimeMillis
  if (Result.isFailure(asked)) {
    yield* note(nodes, node, { fault: faultOf[asked.failure.reason], detail: asked.failure.detail })
    return yield* asked.failure
  }
  const { number } = asked.success.latest
  node.height = number
  if (number < highest) {
    const detail = `it is at block ${number}, behind block ${highest} that was told before`
    yield* note(nodes, node, { fault: "is behind", detail })
    return yield* failed(detail)
  }
  if (yield* stillDenies(node)) {
    const detail = `it denies block ${node.denies?.number} (${node.denies?.hash}), which another node has`
    yield* note(nodes, node, { fault: "denies a block that others have", detail })
    return yield* failed(detail)
  }
  yield* note(nodes, node, undefined)
  return asked.success
})

/** A tip with what is wrong among the nodes, where something is. */
export const explained = (nodes: PoolNodes, tip: Tip): Tip => {
  const faulty = nodes.all.flatMap(({ fault, name }) => (fault === undefined ? [] : [`${name} ${fault}`]))
  if (nodes.current === 0 && faulty.length === 0) return tip
  return { ...tip, nodes: [`${nodeAt(nodes, nodes.current).name} is asked`, ...faulty].join("; ") }
}
