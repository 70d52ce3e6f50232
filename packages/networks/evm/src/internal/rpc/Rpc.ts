import type { Network } from "@bursar/core/money/Network"
import { notAsked } from "@bursar/network-kit/answers"
import { nodePauseOf } from "@bursar/network-kit/nodePause"
import { Effect, type Redacted, Semaphore } from "effect"
import { http, ResponseBodyTooLargeError } from "viem"
import type { ChainError } from "@bursar/core/port/Chain"
import { inconsistent, NodeRefusal, toChainError, unreachable } from "./NodeAnswer.ts"
import { makeEndpoint, notedBy, reasonOf, refusalOf } from "./NodeEndpoint.ts"

/**
 * The largest answer that is read. A block of 400 million gas can hold 40 million bytes of calldata (EIP-7623: 10 gas each), twice that
 * in hexadecimal.
 */
export const answerBytesMax = 256 * 1024 * 1024

/** Bounds of one call in place of those of the node. What exceeds them is a `NodeRefusal` and no failure of the node. */
export interface CallBounds {
  readonly timeoutMs: number
  readonly bytesMax: number
}

/** How a node is asked. Every call is one HTTP request, made once: the callers of the port ask again. */
export interface Rpc {
  readonly network: Network
  /** How long a call may take. */
  readonly timeoutMs: number
  /** How many calls are under way at most. */
  readonly callsMax: number
  /** The `result` of a call, unchecked. Fails with `NodeRefusal` when the node answers with an error or beyond `bounds`. */
  readonly call: (
    doing: string,
    method: string,
    params: ReadonlyArray<unknown>,
    bounds?: CallBounds
  ) => Effect.Effect<unknown, ChainError | NodeRefusal>
  /** The same, with refusals as errors of the port. */
  readonly ask: (doing: string, method: string, params: ReadonlyArray<unknown>) => Effect.Effect<unknown, ChainError>
}

type AnyMethod = [
  { readonly Method: string; readonly Parameters: ReadonlyArray<unknown>; readonly ReturnType: unknown }
]

/** Calls to one node. Throws when the address is no http(s) URL: a mistake of the configuration. */
export const makeRpc = (options: {
  readonly network: Network
  readonly rpcUrl: Redacted.Redacted<string>
  readonly timeoutMs: number
  readonly callsMax: number
}): Rpc => {
  const { callsMax, network, timeoutMs } = options
  const { clean, url } = makeEndpoint(network, options.rpcUrl)
  const pause = nodePauseOf(url)
  // One request a call: a batch would tie the fate of its calls together. No retries: the port's callers ask again.
  const transportOf = (bytesMax: number) =>
    http<AnyMethod, true>(url, { raw: true, batch: false, timeout: 0, maxResponseBodySize: bytesMax })({
      retryCount: 0,
      timeout: 0
    })
  const transports = new Map([[answerBytesMax, transportOf(answerBytesMax)]])
  const transportFor = (bytesMax: number) => {
    const transport = transports.get(bytesMax) ?? transportOf(bytesMax)
    transports.set(bytesMax, transport)
    return transport
  }
  const semaphore = Semaphore.makeUnsafe(callsMax)

  const call: Rpc["call"] = (doing, method, params, bounds) => {
    const { bytesMax, timeoutMs: allowedMs } = bounds ?? { bytesMax: answerBytesMax, timeoutMs }
    const exceeds = (bound: "size" | "time", detail: string) =>
      bounds !== undefined
        ? new NodeRefusal({ doing, code: 0, detail, exceeds: bound })
        : bound === "size"
          ? inconsistent(network, doing, detail)
          : unreachable(network, doing, detail)
    return Effect.tryPromise({
      try: (signal) => transportFor(bytesMax).request({ method, params }, { signal }),
      catch: (error) => error
    }).pipe(
      Effect.tapError(notedBy(pause)),
      Effect.mapError((error) =>
        error instanceof ResponseBodyTooLargeError
          ? exceeds("size", `the answer to ${method} is larger than ${bytesMax} bytes`)
          : unreachable(network, doing, clean(`${method}: ${reasonOf(error)}`))
      ),
      Effect.timeoutOrElse({
        duration: allowedMs,
        orElse: () => Effect.fail(exceeds("time", `${method}: no answer within ${allowedMs} ms`))
      }),
      (ask) => pause.unlessPaused(ask, (detail) => notAsked(unreachable(network, doing, `${method}: ${detail}`))),
      Semaphore.withPermits(semaphore, 1),
      Effect.flatMap((answer) => {
        const { error, result } = answer
        return error === undefined || error === null
          ? Effect.succeed(result)
          : Effect.fail(refusalOf(doing, error, clean))
      })
    )
  }

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
