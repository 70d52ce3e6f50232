import { Effect, Redacted, Semaphore } from "effect"
import { http, HttpRequestError, ResponseBodyTooLargeError } from "viem"
import type { ChainError } from "@bursar/core/port/Chain"
import type { EvmNetwork } from "../EvmNetwork.ts"
import { inconsistent, NodeRefusal, shortened, toChainError, unreachable } from "./NodeAnswer.ts"

/** The largest answer that is read: the traces of a block run to tens of megabytes. */
const answerBytesMax = 256 * 1024 * 1024

/** Parts of the address from this length on are taken for keys and never shown. */
const secretCharsMin = 8

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

/** What must not reach a log: the address itself, its password, and the parts that providers use as keys. */
const secretsOf = (url: URL): ReadonlyArray<string> =>
  [
    url.href,
    url.username,
    url.password,
    ...url.pathname.split("/").filter((part) => part.length >= secretCharsMin),
    ...[...url.searchParams.values()].filter((value) => value.length >= secretCharsMin)
  ].filter((secret) => secret !== "")

const reasonOf = (error: unknown): string => {
  if (error instanceof HttpRequestError && error.status !== undefined) return `HTTP ${error.status}: ${error.details}`
  const cause = error instanceof HttpRequestError ? error.cause : error
  if (cause instanceof SyntaxError) return "the answer is not JSON"
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error ? `${cause.message}: ${cause.cause.message}` : cause.message
}

const field = (value: unknown, name: "code" | "message"): unknown =>
  typeof value === "object" && value !== null && name in value ? Reflect.get(value, name) : undefined

/** Calls to one node. Throws when the address is no http(s) URL: a mistake of the configuration. */
export const makeEvmRpc = (options: {
  readonly network: EvmNetwork
  readonly rpcUrl: Redacted.Redacted<string>
  readonly timeoutMs: number
  readonly callsMax: number
}): EvmRpc => {
  const { callsMax, network, timeoutMs } = options
  const text = Redacted.value(options.rpcUrl)
  if (!/^https?:\/\//iu.test(text) || !URL.canParse(text))
    throw new Error(`the rpc url of ${network} is not an http(s) address`)
  const secrets = secretsOf(new URL(text))
  const clean = (detail: string) =>
    shortened(secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, "[redacted]"), detail))
  // One request a call: a batch would tie the fate of its calls together. No retries: the port's callers ask again.
  const transport = http<AnyMethod, true>(text, {
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
        if (error === undefined || error === null) return Effect.succeed(result)
        const code = field(error, "code")
        const message = field(error, "message")
        return Effect.fail(
          new NodeRefusal({
            doing,
            code: typeof code === "number" ? code : 0,
            detail: clean(typeof message === "string" ? message : JSON.stringify(error))
          })
        )
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
