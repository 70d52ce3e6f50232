import { ChainError } from "@bursar/core/port/Chain"
import { toIso } from "@bursar/core/base/Timestamp"
import { Clock, Effect, Result } from "effect"
import type { DisputeSubject } from "./nodeMetrics.ts"
import type { SaidElsewhere } from "./otherOperators.ts"
import type { SenderNode } from "./SenderNode.ts"
import { type SeveralNodes, wordsElsewhere } from "./SeveralNodes.ts"
import { callPerson, makeWaiting, patienceMs } from "./waitingForSecond.ts"

/** How answers of a kind are compared, and who is told where they differ. */
export interface AnswerKind<A> {
  readonly doing: string
  readonly subject: DisputeSubject
  /** What is logged where nodes go on to differ. */
  readonly log: Effect.Effect<void>
  readonly saySame: (one: A, other: A) => boolean
  readonly words: (answer: A) => string
}

/** What one node says, and what it is about. */
export interface FirstAnswer<A> {
  readonly about: string
  readonly answer: A
  /** The place of the node. */
  readonly index: number
}

/** How answers of a kind are agreed on. */
export interface Agreeing<A> {
  /**
   * Lets an answer of one node count where a node of another operator says the same and none says otherwise. Else it fails, as a node does
   * that cannot be read: one of them may be a block behind, so a person is called only where they go on to differ.
   */
  readonly agreed: (
    first: FirstAnswer<A>,
    question: (node: SenderNode) => Effect.Effect<A, ChainError>
  ) => Effect.Effect<A, ChainError>
  /** As `agreed`, by what nodes of other operators have said already. */
  readonly weighed: (first: FirstAnswer<A>, said: ReadonlyArray<SaidElsewhere<A>>) => Effect.Effect<A, ChainError>
  /** For how long nobody has agreed on it; 0 where nothing waits for that. */
  readonly waitedMs: (about: string, now: number) => number
  /** Nobody has to agree on it now: a later dispute about it is another one. */
  readonly settled: (about: string) => void
}

/** Compares answers of a kind between operators, and remembers since when each waits. */
export const agreedAnswer = <A>(
  { elsewhere, name, network }: SeveralNodes,
  { doing, log, saySame, subject, words }: AnswerKind<A>
): Agreeing<A> => {
  // a second node that was silent for long and then differs may be a block behind as well
  const [disputes, silences] = [makeWaiting(), makeWaiting()]
  const settled = (about: string): void => {
    disputes.over(about)
    silences.over(about)
  }
  const waitedMs = (about: string, now: number): number =>
    Math.max(disputes.waitedMs(about, now), silences.waitedMs(about, now))
  const weighed: Agreeing<A>["weighed"] = Effect.fnUntraced(function* ({ about, answer, index }, said) {
    const others = said.flatMap((one) => (Result.isSuccess(one.answer) ? [one.answer.success] : []))
    const isDisputed = others.some((other) => !saySame(answer, other))
    if (others.length > 0 && !isDisputed) {
      settled(about)
      return answer
    }
    const now = yield* Clock.currentTimeMillis
    const wait = (isDisputed ? disputes : silences).of(about, now)
    const spoken = `${name(index)}: ${words(answer)}; ${wordsElsewhere(said, words)}`
    if (isDisputed && now - wait.at >= patienceMs)
      yield* callPerson(wait, log, { network, subject, about, said: spoken })
    const reason = isDisputed ? "inconsistent" : "unreachable"
    const detail = `${isDisputed ? "nodes contradict each other" : "waiting for a second node"} since ${toIso(wait.at)}: ${spoken}`
    return yield* new ChainError({ network, reason, doing, detail })
  })
  const agreed: Agreeing<A>["agreed"] = (first, question) =>
    Effect.flatMap(elsewhere(first.index, question), (said) => weighed(first, said))
  return { agreed, settled, waitedMs, weighed }
}
