import { Effect, type Redacted, Semaphore } from "effect"
import { http, ResponseBodyTooLargeError } from "viem"
import type { ChainError } from "@bursar/core/port/Chain"
import type { EvmNetwork } from "../EvmNetwork.ts"
import { inconsistent, type NodeRefusal, toChainError, unreachable } from "./NodeAnswer.ts"
import { makeEndpoint, reasonOf, refusalOf } from "./NodeEndpoint.ts"

/** The largest answer that is read: the traces of a block run to tens of megabytes. */
export const answerBytesMax = 256 * 1024 * 1024

/** How a node is asked. Every call is one HTTP request, made once: the callers of the port ask again. */
export interface EvmRpc {
  readonly network: EvmNetwork
  /** How long a call may take. */
  readonly timeoutMs: number
  /** How many calls are under way at most. */
  readonly callsMax: number
  /** The `result` of a call, unchecked. Fails with `NodeRefusal` when the node answers with an error. */
  readonly call: (
    doing: string,
    method: string,
    params: ReadonlyArray<unknown>
  ) => Effect.Effect<unknown, ChainError | NodeRefusal>
  /** The same, with refusals as errors of the port. */
  readonly ask: (doing: string, method: string, params: ReadonlyArray<unknown>) => Effect.Effect<unknown, ChainError>
}

type AnyMethod = [
  { readonly Method: string; readonly Parameters: ReadonlyArray<unknown>; readonly ReturnType: unknown }
]

/** Calls to one node. Throws when the address is no http(s) URL: a mistake of the configuration. */
export const makeEvmRpc = (options: {
  readonly network: EvmNetwork
  readonly rpcUrl: Redacted.Redacted<string>
  readonly timeoutMs: number
  readonly callsMax: number
}): EvmRpc => {
  const { callsMax, network, timeoutMs } = options
  const { clean, url } = makeEndpoint(network, options.rpcUrl)
  // One request a call: a batch would tie the fate of its calls together. No retries: the port's callers ask again.
  const transport = http<AnyMethod, true>(url, {
    raw: true,
    batch: false,
    timeout: 0,
    maxResponseBodySize: answerBytesMax
  })({
    retryCount: 0,
    timeout: 0
  })
  const semaphore = Semaphore.makeUnsafe(callsMax)

  const call: EvmRpc["call"] = (doing, method, params) =>
    Effect.tryPromise({
      try: (signal) => transport.request({ method, params }, { signal }),
      catch: (error) =>
        error instanceof ResponseBodyTooLargeError
          ? inconsistent(network, doing, `the answer to ${method} is larger than ${answerBytesMax} bytes`)
          : unreachable(network, doing, clean(`${method}: ${reasonOf(error)}`))
    }).pipe(
      Effect.timeoutOrElse({
        duration: timeoutMs,
        orElse: () => Effect.fail(unreachable(network, doing, `${method}: no answer within ${timeoutMs} ms`))
      }),
      Semaphore.withPermits(semaphore, 1),
      Effect.flatMap((answer) => {
        const { error, result } = answer
        return error === undefined || error === null
          ? Effect.succeed(result)
          : Effect.fail(refusalOf(doing, error, clean))
      })
    )

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
