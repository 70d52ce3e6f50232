import { type BlockRef, ChainError, type Tip } from "@bursar/core/port/Chain"
import { Clock, Effect, Result, Semaphore } from "effect"
import { faultOf, together } from "./nodeFaults.ts"
import type { Readers } from "./operators.ts"
import {
  explained,
  makePoolNodes,
  nodeAt,
  note,
  others,
  type PoolNodes,
  showNodes,
  stand,
  turnTo
} from "./PoolNodes.ts"

/** How the nodes of a network are kept an eye on. */
export interface NodeLimits {
  /** How often a node that is not used is asked where it stands, in milliseconds. */
  readonly probeEveryMs: number
  /** How long such a question may take, in milliseconds. */
  readonly probeTimeoutMs: number
  /** For how long a sender relies on what the nodes said of where they stand, in milliseconds. */
  readonly freshMs: number
  /** How long a node of another operator may take to say whether it agrees, in milliseconds. */
  readonly opinionTimeoutMs: number
}

/** What suits nodes on other machines. */
export const defaultNodeLimits: NodeLimits = {
  probeEveryMs: 30_000,
  probeTimeoutMs: 5_000,
  freshMs: 5_000,
  opinionTimeoutMs: 10_000
}

/** What several nodes of one network share: which of them is asked, and how high they were. */
export interface NodePool {
  /** The place of the node that is asked now, among those of the pool. */
  readonly current: () => number
  /** Where the network stands, by the first node that is not behind what was told before. Fails where there is none. */
  readonly tip: Effect.Effect<Tip, ChainError>
  /** Asks the current node, then the others in turn, until one answers. Each is asked whole: no answer is pieced together. */
  readonly ask: <A, E>(
    question: (index: number) => Effect.Effect<A, ChainError | E>,
    options?: {
      /** A node that is behind may answer too: the answer is the same at any height. */
      readonly behindToo?: boolean
    }
  ) => Effect.Effect<A, ChainError | E>
  /** As `ask`, of nodes that said lately where they stand. */
  readonly askFresh: NodePool["ask"]
  /** Uses the current node no more until it has this block, as long as another node is well. */
  readonly distrust: (block: Pick<BlockRef, "hash" | "number">) => Effect.Effect<void>
  /** Uses nodes again that denied a block: it turned out to be gone. */
  readonly absolve: Effect.Effect<void>
}

const isChainError = (error: unknown): error is ChainError => error instanceof ChainError

/**
 * How far of a height that a node tells others are held to: of several operators, what a node of another has reached too. A height that
 * one alone tells may be made up, and would keep the others from being used.
 */
const shared = (nodes: PoolNodes, teller: number, height: number): number => {
  const { operator } = nodeAt(nodes, teller)
  if (new Set(nodes.all.flatMap((node) => node.operator ?? [])).size < 2) return height
  const reached = nodes.all.flatMap((node) => (node.operator === operator ? [] : (node.height ?? [])))
  return Math.min(height, Math.max(-1, ...reached))
}

/** Asks the current node and those that are due, then the rest until one answers, and turns to the first that did. */
const readTip = Effect.fnUntraced(function* (nodes: PoolNodes, { probeEveryMs, probeTimeoutMs }: NodeLimits) {
  const now = yield* Clock.currentTimeMillis
  const due = others(nodes).filter((index) => now - (nodeAt(nodes, index).askedAt ?? -Infinity) >= probeEveryMs)
  const round = [nodes.current, ...due]
  const answers = new Map<number, Tip>()
  const errors = new Map<number, ChainError>()
  const askAll = (indexes: ReadonlyArray<number>) =>
    Effect.forEach(
      indexes,
      (index) =>
        Effect.match(stand(nodes, nodeAt(nodes, index), index === nodes.current ? undefined : probeTimeoutMs), {
          onFailure: (error) => void errors.set(index, error),
          onSuccess: (answer) => void answers.set(index, answer)
        }),
      { concurrency: "unbounded", discard: true }
    )
  yield* askAll(round)
  for (const index of others(nodes)) {
    if (answers.size > 0) break
    if (!round.includes(index)) yield* askAll([index])
  }
  const best = nodes.all.map((_, index) => index).find((index) => answers.has(index))
  const answer = best === undefined ? undefined : answers.get(best)
  if (best === undefined || answer === undefined) {
    yield* showNodes(nodes)
    return yield* together([...errors].map(([index, error]) => ({ name: nodeAt(nodes, index).name, error })))
  }
  nodes.highest = Math.max(nodes.highest, shared(nodes, best, answer.latest.number))
  nodes.toldAt = now
  yield* turnTo(nodes, best)
  yield* showNodes(nodes)
  return explained(nodes, answer)
})

const askInTurn =
  (nodes: PoolNodes, { probeTimeoutMs }: NodeLimits): NodePool["ask"] =>
  (question, { behindToo = false } = {}) =>
    Effect.gen(function* () {
      const errors: Array<{ readonly name: string; readonly error: ChainError }> = []
      const first = nodes.current
      const firstNode = nodeAt(nodes, first)
      const rest = others(nodes)
      const asked = yield* Effect.result(question(first))
      if (Result.isSuccess(asked)) return asked.success
      const { failure } = asked
      if (!isChainError(failure)) return yield* Effect.fail(failure)
      errors.push({ name: firstNode.name, error: failure })
      for (const index of rest) {
        const node = nodeAt(nodes, index)
        const stands = yield* Effect.result(stand(nodes, node, probeTimeoutMs))
        if (Result.isFailure(stands) && !(behindToo && node.fault === "is behind")) {
          errors.push({ name: node.name, error: stands.failure })
          continue
        }
        const again = yield* Effect.result(question(index))
        if (Result.isSuccess(again)) {
          // Where another node can answer, the fault is that of the first.
          yield* note(nodes, firstNode, { fault: faultOf[failure.reason], detail: failure.detail })
          firstNode.askedAt = yield* Clock.currentTimeMillis
          if (Result.isSuccess(stands) && nodes.current === first) yield* turnTo(nodes, index)
          return again.success
        }
        if (!isChainError(again.failure)) return yield* Effect.fail(again.failure)
        errors.push({ name: node.name, error: again.failure })
      }
      return yield* together(errors)
    })

/** What a pool is for, and how it is kept. */
export interface NodePoolOptions {
  /** What the nodes are used for, in logs and metrics. */
  readonly use: string
  readonly limits?: NodeLimits
  /** Who runs each node, where that is known. */
  readonly operators?: ReadonlyArray<string | undefined>
}

/**
 * Keeps an eye on the nodes of one network, in order of preference. Each reader must fail, whatever it is asked, while it is not
 * certain that its node is of the right chain.
 *
 * **Details**
 *
 * The height that is told does not go down: a node below it is not used until it has caught up. Of several operators it does not go
 * below what two of them have reached. Those that are not used are asked where they stand every `probeEveryMs`, and the first of the list
 * is returned to once it is well. Nothing is compared here: see `opinionsOf`.
 */
export const makeNodePool = (
  readers: Readers,
  { limits = defaultNodeLimits, operators = [], use }: NodePoolOptions
): NodePool => {
  const nodes = makePoolNodes(readers, use, operators)
  const turn = Semaphore.makeUnsafe(1)
  const tip = Semaphore.withPermits(turn, 1)(readTip(nodes, limits))
  const ask = askInTurn(nodes, limits)
  const fresh = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (nodes.toldAt === undefined || now - nodes.toldAt >= limits.freshMs) yield* tip
  })
  return {
    current: () => nodes.current,
    tip,
    ask,
    askFresh: (question, options) => Effect.andThen(fresh, ask(question, options)),
    distrust: (block) =>
      Effect.sync(() => {
        nodeAt(nodes, nodes.current).denies = { hash: block.hash, number: block.number }
      }),
    absolve: Effect.sync(() => {
      for (const node of nodes.all) node.denies = undefined
    })
  }
}
