import type { Network } from "@bursar/core/money/Network"
import { notAsked } from "@bursar/network-kit/answers"
import { nodePauseOf } from "@bursar/network-kit/nodePause"
import { Effect, type Redacted, Request, RequestResolver, Semaphore } from "effect"
import { ResponseBodyTooLargeError } from "viem"
import { getHttpRpcClient } from "viem/utils"
import type { ChainError } from "@bursar/core/port/Chain"
import { answerBytesMax, type Rpc } from "./Rpc.ts"
import { inconsistent, type NodeRefusal, toChainError, unreachable } from "./NodeAnswer.ts"
import { makeEndpoint, notedBy, reasonOf, refusalOf } from "./NodeEndpoint.ts"

/** A question to the node. */
class Question extends Request.Class<
  { readonly doing: string; readonly method: string; readonly params: ReadonlyArray<unknown> },
  unknown,
  ChainError | NodeRefusal
> {}

type Entry = Request.Entry<Question>

/** Entries with the same question, which is asked once. */
interface Asked {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  readonly entries: Array<Entry>
}

const distinct = (entries: ReadonlyArray<Entry>): ReadonlyArray<Asked> => {
  const asked = new Map<string, Asked>()
  for (const entry of entries) {
    const { method, params } = entry.request
    const key = JSON.stringify([method, params])
    const known = asked.get(key)
    if (known === undefined) asked.set(key, { method, params, entries: [entry] })
    else known.entries.push(entry)
  }
  return [...asked.values()]
}

const chunked = <A>(items: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))

const settle = (asked: Asked, answer: (doing: string) => Effect.Effect<unknown, ChainError | NodeRefusal>) =>
  Effect.forEach(asked.entries, (entry) => Request.completeEffect(entry, answer(entry.request.doing)), {
    discard: true
  })

interface Reply {
  readonly id: unknown
  readonly result?: unknown
  readonly error?: unknown
}

const isReply = (value: unknown): value is Reply => typeof value === "object" && value !== null && "id" in value

/** How a node is asked. */
interface BatchingRpcOptions {
  readonly network: Network
  readonly rpcUrl: Redacted.Redacted<string>
  readonly timeoutMs: number
  /** How many requests are under way at most. */
  readonly callsMax: number
  /** How many questions a request carries at most; with 1 they go one by one, as nodes without batches want them. */
  readonly batchMax: number
  /**
   * Asks again, one by one, what went in a batch that was refused or broke as a whole. Not after silence: who is silent to many is likely to be so to
   * each. Absent, they all fail.
   */
  readonly alone?: Rpc
}

/** Why a batch has no answer at all. */
interface Unanswered {
  readonly errorOf: (doing: string) => ChainError
  /** It was waited for in vain. */
  readonly isSilence: boolean
}

interface Node extends ReturnType<typeof makeEndpoint> {
  readonly network: Network
}

/** The body that a node answers to a batch: one question goes alone where the node wants them so. */
const postTo = ({
  batchMax,
  callsMax,
  clean,
  network,
  timeoutMs,
  url
}: Node & BatchingRpcOptions): ((batch: ReadonlyArray<Asked>) => Effect.Effect<unknown, Unanswered>) => {
  const pause = nodePauseOf(url)
  const client = getHttpRpcClient(url, { timeout: 0, maxResponseBodySize: answerBytesMax })
  const semaphore = Semaphore.makeUnsafe(callsMax)
  return (batch) => {
    const questions = batch.map(({ method, params }, id) => ({ id, method, params }))
    const [first] = questions
    const single = batchMax === 1 ? first : undefined
    return Effect.tryPromise({
      try: (signal): Promise<unknown> =>
        single === undefined
          ? client.request({ body: questions, fetchOptions: { signal } })
          : client.request({ body: single, fetchOptions: { signal } }),
      catch: (error) => error
    }).pipe(
      Effect.tapError(notedBy(pause)),
      Effect.mapError((error): Unanswered => ({
        errorOf: (doing) =>
          error instanceof ResponseBodyTooLargeError
            ? inconsistent(network, doing, `the answer is larger than ${answerBytesMax} bytes`)
            : unreachable(network, doing, clean(reasonOf(error))),
        isSilence: false
      })),
      Effect.timeoutOrElse({
        duration: timeoutMs,
        orElse: () =>
          Effect.fail<Unanswered>({
            errorOf: (doing) => unreachable(network, doing, `no answer within ${timeoutMs} ms`),
            isSilence: true
          })
      }),
      (ask) =>
        pause.unlessPaused(ask, (detail): Unanswered => ({
          errorOf: (doing) => notAsked(unreachable(network, doing, detail)),
          isSilence: false
        })),
      Semaphore.withPermits(semaphore, 1),
      Effect.map((body) => (single === undefined ? body : [body]))
    )
  }
}

/** Gives each question of a batch that has no answer as a whole one of its own, or tells each why there is none. */
const unanswered = (alone: Rpc | undefined, batch: ReadonlyArray<Asked>, { errorOf, isSilence }: Unanswered) =>
  Effect.forEach(
    batch,
    (asked) =>
      settle(asked, (doing) =>
        alone === undefined || isSilence ? Effect.fail(errorOf(doing)) : alone.call(doing, asked.method, asked.params)
      ),
    { concurrency: alone?.callsMax ?? 1, discard: true }
  )

/** Gives each question of a batch its answer out of a body. */
const answerBatch = (
  { alone, clean, network }: Node & Pick<BatchingRpcOptions, "alone">,
  batch: ReadonlyArray<Asked>,
  body: unknown
) => {
  // A body of more than was asked for is as little an answer as one that is no list.
  if (!Array.isArray(body) || body.length > batch.length) {
    // The whole batch was refused, be it that the node takes none or none so long.
    const words = isReply(body) ? refusalOf("", body.error, clean).detail : "the answer is not that to a batch"
    const errorOf = (doing: string) => unreachable(network, doing, `batch refused: ${words}`)
    return unanswered(alone, batch, { errorOf, isSilence: false })
  }
  const replies = new Map<unknown, Reply>()
  const doubled = new Set<unknown>()
  for (const reply of body.filter(isReply)) {
    if (replies.has(reply.id)) doubled.add(reply.id)
    replies.set(reply.id, reply)
  }
  return Effect.forEach(
    batch,
    (asked, id) =>
      settle(asked, (doing) => {
        const reply = replies.get(id)
        if (reply === undefined || doubled.has(id)) {
          const many = reply === undefined ? "no answer" : "several answers"
          return Effect.fail(inconsistent(network, doing, `${asked.method}: ${many} in the batch`))
        }
        return reply.error === undefined || reply.error === null
          ? Effect.succeed(reply.result)
          : Effect.fail(refusalOf(doing, reply.error, clean))
      }),
    { discard: true }
  )
}

/**
 * Calls to one node, of which those that are made at the same moment share a request, and the same question is asked once.
 *
 * **Details**
 *
 * An answer is matched to its question by its id alone, never by its place: a node may leave one out, and then a number of
 * one account must not be taken for that of another. What has no answer is `inconsistent`.
 *
 * **Gotchas**
 *
 * A request that breaks takes all its questions with it, unless `alone` asks them again: transactions are handed in with it, as the same bytes may
 * be handed in twice, and reads are not.
 */
export const makeBatchingRpc = (options: BatchingRpcOptions): Rpc => {
  const { batchMax, callsMax, network, timeoutMs } = options
  const node = { network, ...makeEndpoint(network, options.rpcUrl) }
  const post = postTo({ ...options, ...node })

  const resolver = RequestResolver.make<Question>((entries) =>
    Effect.forEach(
      chunked(distinct(entries), batchMax),
      (batch) =>
        Effect.matchEffect(post(batch), {
          onFailure: (failure) => unanswered(options.alone, batch, failure),
          onSuccess: (body) => answerBatch({ ...options, ...node }, batch, body)
        }),
      { concurrency: callsMax, discard: true }
    )
  )

  const call: Rpc["call"] = (doing, method, params) => Effect.request(new Question({ doing, method, params }), resolver)
  return {
    network,
    timeoutMs,
    callsMax,
    call,
    ask: (doing, method, params) =>
      Effect.catchTag(call(doing, method, params), "NodeRefusal", (refusal) =>
        Effect.fail(toChainError(network)(refusal))
      )
  }
}
