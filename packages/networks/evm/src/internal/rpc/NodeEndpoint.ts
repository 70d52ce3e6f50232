import { redactEndpoint } from "@bursar/core/port/redactEndpoint"
import type { NodePause } from "@bursar/network-kit/nodePause"
import { Effect, Redacted } from "effect"
import { HttpRequestError } from "viem"
import { NodeRefusal, shortened } from "./NodeAnswer.ts"

/** In words, why a request came to no answer. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof HttpRequestError && error.status !== undefined) return `HTTP ${error.status}: ${error.details}`
  const cause = error instanceof HttpRequestError ? error.cause : error
  if (cause instanceof SyntaxError) return "the answer is not JSON"
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error ? `${cause.message}: ${cause.cause.message}` : cause.message
}

/** Takes note of what the node said, where a request failed by the status of its answer. */
export const notedBy =
  ({ note }: NodePause) =>
  (error: unknown): Effect.Effect<void> =>
    error instanceof HttpRequestError && error.status !== undefined
      ? note({ status: error.status, retryAfter: error.headers?.get("retry-after") ?? null, text: error.details })
      : Effect.void

const field = (value: unknown, name: "code" | "message"): unknown =>
  typeof value === "object" && value !== null && name in value ? Reflect.get(value, name) : undefined

/** The refusal that the `error` of an answer stands for. */
export const refusalOf = (doing: string, error: unknown, clean: (detail: string) => string): NodeRefusal => {
  const code = field(error, "code")
  const message = field(error, "message")
  return new NodeRefusal({
    doing,
    code: typeof code === "number" ? code : 0,
    detail: clean(typeof message === "string" ? message : (JSON.stringify(error) ?? String(error)))
  })
}

/** Where a node is asked, and how its words are made fit to be shown. */
export interface NodeEndpoint {
  readonly url: string
  /** Without the secrets of the address, and cut to what fits in an error. */
  readonly clean: (detail: string) => string
}

/** The endpoint behind an address. Throws when it is no http(s) URL: a mistake of the configuration. */
export const makeEndpoint = (network: string, rpcUrl: Redacted.Redacted<string>): NodeEndpoint => {
  const url = Redacted.value(rpcUrl)
  if (!/^https?:\/\//iu.test(url) || !URL.canParse(url)) {
    throw new Error(`the rpc url of ${network} is not an http(s) address`)
  }
  const clean = redactEndpoint([url])
  return { url, clean: (detail) => shortened(clean(detail)) }
}
