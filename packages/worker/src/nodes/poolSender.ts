import type { ChainError } from "@bursar/core/port/Chain"
import type { Broadcast, ChainSender } from "@bursar/core/port/ChainSender"
import { plannerThrough } from "@bursar/core/port/TransactionPlanner"
import { Deferred, Effect, Result } from "effect"
import { defaultNodeLimits, makeNodePool, type NodeLimits } from "./NodePool.ts"
import type { SenderNode } from "./SenderNode.ts"
import { secondNodeSender } from "./secondNodeSender.ts"
import { statusSince } from "./statusSince.ts"

/** How long the other nodes may take for a transaction that one has taken. */
const graceMs = 2_000

/** Taken where one has it, unknown where one may; else what the first said. */
const combined = (answers: ReadonlyArray<Broadcast>): Broadcast =>
  answers.find(({ _tag }) => _tag === "Accepted") ??
  answers.find(({ _tag }) => _tag === "Unknown") ??
  answers[0] ?? { _tag: "Unknown", detail: "no node was asked" }

/**
 * One sender over several nodes of a network, in order of preference; with one node, that node's. Transactions go to all of them.
 * Questions go to one node, which is not behind what any of them told before. Where nodes of two operators are configured, what would be
 * concluded from an answer is asked of both.
 */
export const poolSender = (
  nodes: readonly [SenderNode, ...ReadonlyArray<SenderNode>],
  limits: NodeLimits = defaultNodeLimits
): ChainSender => {
  const [first, ...rest] = nodes
  if (rest.length === 0) return first.sender
  const pool = makeNodePool([first.reader, ...rest.map(({ reader }) => reader)], {
    use: "sending",
    limits,
    operators: nodes.map(({ operator }) => operator)
  })
  // The places of the pool are those of the list.
  const nodeOf = (index: number) => nodes[index] as SenderNode
  const at = (index: number) => nodeOf(index).sender
  const ask = <A, E>(question: (sender: ChainSender) => Effect.Effect<A, ChainError | E>) =>
    pool.askFresh((index) => question(at(index)))

  const broadcast: ChainSender["broadcast"] = (raw) =>
    Effect.gen(function* () {
      const taken = yield* Deferred.make<Broadcast>()
      const all = Effect.forEach(
        nodes,
        ({ sender }) =>
          Effect.tap(sender.broadcast(raw), (answer) =>
            answer._tag === "Accepted" ? Deferred.succeed(taken, answer) : Effect.void
          ),
        { concurrency: "unbounded" }
      )
      return yield* Effect.raceFirst(
        Effect.map(all, combined),
        Effect.tap(Deferred.await(taken), () => Effect.sleep(graceMs))
      )
    })

  const pooled: ChainSender = {
    ...first.sender,
    firstSequence: (account) => ask((sender) => sender.firstSequence(account)),
    balance: (address, contract) => ask((sender) => sender.balance(address, contract)),
    planner: plannerThrough(first.sender.planner, (question) => ask(({ planner }) => question(planner))),
    build: (order) => ask((sender) => sender.build(order)),
    broadcast,
    status: (order, transactions) => ask((sender) => sender.status(order, transactions)),
    statusSince: (block, ...asked) => pool.askFresh((index) => statusSince(nodeOf(index))(block, ...asked)),
    preflight: (payment) => ask((sender) => sender.preflight(payment)),
    // These two never fail: one that is caught up is asked where there is any, else the first.
    estimate: (payment) =>
      Effect.flatMap(Effect.result(ask((sender) => Effect.succeed(sender))), (chosen) =>
        Result.getOrElse(chosen, () => first.sender).estimate(payment)
      ),
    prove: (claimed) =>
      Effect.flatMap(Effect.result(ask((sender) => Effect.succeed(sender))), (chosen) =>
        Result.isSuccess(chosen)
          ? chosen.success.prove(claimed)
          : Effect.succeed({ verdict: "UNREADABLE" as const, reason: chosen.failure.message })
      )
  }
  const { planner } = pooled
  return { ...pooled, ...secondNodeSender(nodes, { planner, pool, timeoutMs: limits.opinionTimeoutMs }) }
}
