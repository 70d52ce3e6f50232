import type { ChainError, ChainReader } from "@bursar/core/port/Chain"
import type { Broadcast, ChainSender, FeeEstimate, Proof } from "@bursar/core/port/ChainSender"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { plannerThrough } from "@bursar/core/port/TransactionPlanner"
import { Deferred, Effect, Exit } from "effect"

/**
 * Asks until it has succeeded once. Who wants to know while it is asked shares the answer: a server that has just started gets many requests
 * at once.
 */
export const onceDone = <E>(effect: Effect.Effect<void, E>): Effect.Effect<void, E> => {
  let isDone = false
  let asking: Deferred.Deferred<void, E> | undefined
  return Effect.withFiber(({ context }) => {
    if (isDone) return Effect.void
    if (asking !== undefined) return Deferred.await(asking)
    const answer = Deferred.makeUnsafe<void, E>()
    asking = answer
    const told = Effect.onExit(effect, (exit) =>
      Effect.sync(() => {
        isDone = Exit.isSuccess(exit)
        asking = undefined
      })
    )
    // it belongs to nobody who waits: each may go away, also right here
    Effect.runForkWith(context)(Deferred.into(told, answer))
    return Deferred.await(answer)
  })
}

/** A reader that answers nothing, whatever it is asked, until something else has succeeded: `first`, which is asked each time. */
export const guardedReader = <R extends ChainReader>(reader: R, first: Effect.Effect<void, ChainError>): R => {
  const after = <A>(effect: Effect.Effect<A, ChainError>) => Effect.andThen(first, effect)
  const { balanceChanges, mempool } = reader
  return {
    ...reader,
    tip: after(reader.tip),
    header: (number) => after(reader.header(number)),
    block: (hash) => after(reader.block(hash)),
    blockAt: (time) => after(reader.blockAt(time)),
    holdings: (addresses, at) => after(reader.holdings(addresses, at)),
    ...(balanceChanges && { balanceChanges: (block, addresses) => after(balanceChanges(block, addresses)) }),
    ...(mempool && { mempool: () => ({ changes: after(mempool().changes) }) })
  }
}

const nothingKnown: FeeEstimate = { fee: null, recipientHoldsAsset: null, assumedWorstCase: false }

/**
 * A sender that builds, sends and concludes nothing until something else has succeeded: `first`, which is asked each time. What never
 * fails answers that it does not know.
 */
export const guardedSender = (sender: ChainSender, first: Effect.Effect<void, ChainError>): ChainSender => {
  const after = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | ChainError> => Effect.andThen(first, effect)
  const afterOr = <A>(effect: Effect.Effect<A>, otherwise: (error: ChainError) => A): Effect.Effect<A> =>
    Effect.catch(after(effect), (error) => Effect.succeed(otherwise(error)))
  const { network, paymentsMax, rebroadcastAfterMs, replaceAfterMs, statusSince, validityMs } = sender
  // Each by its name: what is added to a sender must not slip through.
  return {
    network,
    validityMs,
    rebroadcastAfterMs,
    replaceAfterMs,
    paymentsMax,
    firstSequence: (account) => after(sender.firstSequence(account)),
    balance: (address, contract) => after(sender.balance(address, contract)),
    planner: plannerThrough(sender.planner, (question) => after(question(sender.planner))),
    build: (order) => after(sender.build(order)),
    broadcast: (raw) =>
      afterOr(sender.broadcast(raw), ({ message }): Broadcast => ({ _tag: "Unknown", detail: message })),
    status: (order, transactions) => after(sender.status(order, transactions)),
    ...(statusSince && { statusSince: (block, ...asked) => after(statusSince(block, ...asked)) }),
    estimate: (payment) => afterOr(sender.estimate(payment), () => nothingKnown),
    preflight: (payment) => after(sender.preflight(payment)),
    prove: (claimed) =>
      afterOr(sender.prove(claimed), ({ message }): Proof => ({ verdict: "UNREADABLE", reason: message }))
  }
}

/**
 * An adapter whose reader and sender answer nothing until the node has said that it is of the right chain: on another chain addresses
 * look right and everything else is wrong. The node is asked again until it has said so once.
 */
export const guardedNetwork = <A extends NetworkAdapter>(adapter: A): A => {
  const first = onceDone(adapter.verifyChain)
  return {
    ...adapter,
    reader: guardedReader(adapter.reader, first),
    sender: guardedSender(adapter.sender, first)
  }
}
