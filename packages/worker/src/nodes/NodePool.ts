import { ChainError, type ChainReader, type Tip } from "@bursar/core/port/Chain"
import { Clock, Effect, Result, Semaphore } from "effect"
import { type Fault, faultOf, together } from "./nodeFaults.ts"
import { countFailover, showNode } from "./nodeMetrics.ts"

/** How the nodes of a network are kept an eye on. */
export interface NodeLimits {
  /** How often a node that is not used is asked where it stands, in milliseconds. */
  readonly probeEveryMs: number
  /** How long such a question may take, in milliseconds. */
  readonly probeTimeoutMs: number
  /** For how long a sender relies on what the nodes said of where they stand, in milliseconds. */
  readonly freshMs: number
}

/** What suits nodes on other machines. */
export const defaultNodeLimits: NodeLimits = { probeEveryMs: 30_000, probeTimeoutMs: 5_000, freshMs: 5_000 }

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
}

interface NodeState {
  readonly name: string
  fault: Fault | undefined
  height: number | undefined
  /** When it was last asked where it stands. */
  askedAt: number | undefined
}

const isChainError = (error: unknown): error is ChainError => error instanceof ChainError

/**
 * Keeps an eye on the nodes of one network, in order of preference. Each reader must fail, whatever it is asked, while it is not
 * certain that its node is of the right chain.
 *
 * **Details**
 *
 * The height that is told never goes down: a node below it is not used until it has caught up. Those that are not used are asked
 * where they stand every `probeEveryMs`, and the first of the list is returned to once it is well. Nothing is compared: what two
 * nodes say is believed no more than what one says.
 */
export const makeNodePool = (
  readers: readonly [ChainReader, ...ReadonlyArray<ChainReader>],
  use: string,
  limits: NodeLimits = defaultNodeLimits
): NodePool => {
  const { network } = readers[0]
  const states = readers.map((_, index): NodeState => {
    const name = `node ${index + 1} of ${readers.length}`
    return { name, fault: undefined, height: undefined, askedAt: undefined }
  })
  const turn = Semaphore.makeUnsafe(1)
  let current = 0
  let highest = -1
  let toldAt: number | undefined

  // The places come from the list itself.
  const stateOf = (index: number) => states[index] as NodeState
  const readerOf = (index: number) => readers[index] as ChainReader
  const others = () => states.map((_, index) => index).filter((index) => index !== current)

  const show = Effect.suspend(() =>
    Effect.forEach(
      states,
      ({ fault, height, name }, index) =>
        showNode(
          { network, node: name, use },
          {
            well: fault === undefined,
            used: index === current,
            behindBlocks: fault === "is behind" && height !== undefined ? Math.max(0, highest - height) : 0
          }
        ),
      { discard: true }
    )
  )

  const note = (index: number, fault: Fault | undefined, detail: string) =>
    Effect.suspend(() => {
      const state = stateOf(index)
      if (state.fault === fault) return Effect.void
      state.fault = fault
      const told = fault === undefined ? Effect.logInfo("network.node_well") : Effect.logWarning("network.node_fault")
      return told.pipe(
        Effect.annotateLogs({ network, use, node: state.name, ...(fault === undefined ? {} : { fault, detail }) })
      )
    })

  const turnTo = (index: number) =>
    Effect.suspend(() => {
      if (index === current) return Effect.void
      const before = stateOf(current)
      current = index
      return Effect.logWarning("network.node_changed").pipe(
        Effect.annotateLogs({
          network,
          use,
          node: stateOf(index).name,
          before: before.name,
          why: before.fault ?? "the one preferred is well again"
        }),
        Effect.andThen(countFailover({ network, use }))
      )
    })

  /** Where a node stands. One that is behind what was told fails. */
  const stand = (index: number, timeoutMs: number | undefined): Effect.Effect<Tip, ChainError> =>
    Effect.gen(function* () {
      const state = stateOf(index)
      const doing = "read where the nodes stand"
      const asked = yield* Effect.result(
        timeoutMs === undefined
          ? readerOf(index).tip
          : Effect.timeoutOrElse(readerOf(index).tip, {
              duration: timeoutMs,
              orElse: () =>
                Effect.fail(
                  new ChainError({ network, reason: "unreachable", doing, detail: `no answer within ${timeoutMs} ms` })
                )
            })
      )
      state.askedAt = yield* Clock.currentTimeMillis
      if (Result.isFailure(asked)) {
        yield* note(index, faultOf[asked.failure.reason], asked.failure.detail)
        return yield* asked.failure
      }
      const { number } = asked.success.latest
      state.height = number
      if (number < highest) {
        const detail = `it is at block ${number}, behind block ${highest} that was told before`
        yield* note(index, "is behind", detail)
        return yield* new ChainError({ network, reason: "unreachable", doing, detail })
      }
      yield* note(index, undefined, "")
      return asked.success
    })

  const explained = (tip: Tip): Tip => {
    const faulty = states.flatMap(({ fault, name }) => (fault === undefined ? [] : [`${name} ${fault}`]))
    if (current === 0 && faulty.length === 0) return tip
    return { ...tip, nodes: [`${stateOf(current).name} is asked`, ...faulty].join("; ") }
  }

  const tip: NodePool["tip"] = Semaphore.withPermits(
    turn,
    1
  )(
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const due = others().filter((index) => now - (stateOf(index).askedAt ?? -Infinity) >= limits.probeEveryMs)
      const round = [current, ...due]
      const answers = new Map<number, Tip>()
      const errors = new Map<number, ChainError>()
      const askAll = (indexes: ReadonlyArray<number>) =>
        Effect.forEach(
          indexes,
          (index) =>
            Effect.match(stand(index, index === current ? undefined : limits.probeTimeoutMs), {
              onFailure: (error) => void errors.set(index, error),
              onSuccess: (answer) => void answers.set(index, answer)
            }),
          { concurrency: "unbounded", discard: true }
        )
      yield* askAll(round)
      for (const index of others()) {
        if (answers.size > 0) break
        if (!round.includes(index)) yield* askAll([index])
      }
      const best = states.map((_, index) => index).find((index) => answers.has(index))
      const answer = best === undefined ? undefined : answers.get(best)
      if (best === undefined || answer === undefined) {
        yield* show
        return yield* together([...errors].map(([index, error]) => ({ name: stateOf(index).name, error })))
      }
      highest = Math.max(highest, answer.latest.number)
      toldAt = now
      yield* turnTo(best)
      yield* show
      return explained(answer)
    })
  )

  const ask: NodePool["ask"] = (question, { behindToo = false } = {}) =>
    Effect.gen(function* () {
      const errors: Array<{ readonly name: string; readonly error: ChainError }> = []
      const first = current
      const rest = others()
      const asked = yield* Effect.result(question(first))
      if (Result.isSuccess(asked)) return asked.success
      const { failure } = asked
      if (!isChainError(failure)) return yield* Effect.fail(failure)
      errors.push({ name: stateOf(first).name, error: failure })
      for (const index of rest) {
        const accountState = yield* Effect.result(stand(index, limits.probeTimeoutMs))
        if (Result.isFailure(accountState) && !(behindToo && stateOf(index).fault === "is behind")) {
          errors.push({ name: stateOf(index).name, error: accountState.failure })
          continue
        }
        const again = yield* Effect.result(question(index))
        if (Result.isSuccess(again)) {
          // Where another node can answer, the fault is that of the first.
          yield* note(first, faultOf[failure.reason], failure.detail)
          stateOf(first).askedAt = yield* Clock.currentTimeMillis
          if (Result.isSuccess(accountState) && current === first) yield* turnTo(index)
          return again.success
        }
        if (!isChainError(again.failure)) return yield* Effect.fail(again.failure)
        errors.push({ name: stateOf(index).name, error: again.failure })
      }
      return yield* together(errors)
    })

  const fresh = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (toldAt === undefined || now - toldAt >= limits.freshMs) yield* tip
  })

  return {
    current: () => current,
    tip,
    ask,
    askFresh: (question, options) => Effect.andThen(fresh, ask(question, options))
  }
}
