import { codes, RpcError } from "../RpcError.ts"
import { chainMethods } from "./chainMethods.ts"
import { controlMethods } from "./controlMethods.ts"
import { mempoolMethods } from "./mempoolMethods.ts"
import type { Context, Method } from "./Method.ts"
import { transactionMethods } from "./transactionMethods.ts"

/** A call as it stands on the wire: version 1 answers with `result` and `error`, version 2 with the one that applies. */
export interface Call {
  readonly version: 1 | 2
  readonly id: unknown
  /** A call of version 2 without an id wants no answer. */
  readonly silent: boolean
  readonly method: string
  readonly params: unknown
}

/** What came of a call. */
export type Outcome =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }

const methods: Readonly<Record<string, Method>> = {
  ...chainMethods,
  ...transactionMethods,
  ...mempoolMethods,
  ...controlMethods
}

/** A call of a body; undefined if it has no method. */
export const toCall = (value: unknown): Call | undefined => {
  if (typeof value !== "object" || value === null || !("method" in value) || typeof value.method !== "string")
    return undefined
  const version = "jsonrpc" in value && value.jsonrpc === "2.0" ? 2 : 1
  return {
    version,
    id: "id" in value ? value.id : null,
    silent: version === 2 && !("id" in value),
    method: value.method,
    params: "params" in value ? value.params : []
  }
}

/** Parameters by position: they may be given by name as well. */
const positional = ({ parameters }: Method, params: unknown): ReadonlyArray<unknown> => {
  if (params === undefined || params === null) return []
  if (Array.isArray(params)) return params
  if (typeof params !== "object") throw new RpcError(codes.invalidRequest, "Params must be an array or object")
  const names = Object.keys(params)
  const unknown = names.find((name) => !parameters.includes(name))
  if (unknown !== undefined) throw new RpcError(codes.invalidParameter, `Unknown named parameter ${unknown}`)
  return parameters.map((name): unknown => Reflect.get(params, name))
}

/** A failure as the outcome of a call. */
export const refused = (code: number, message: string): Outcome => ({ error: { code, message } })

/** Runs a call. What is not an `RpcError` is a bug of this node, and is thrown. */
export const run = (context: Context, { method, params }: Pick<Call, "method" | "params">): Outcome => {
  const found = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (found === undefined) return refused(codes.methodNotFound, "Method not found")
  try {
    const given = positional(found, params)
    const count = given.filter((param) => param !== undefined).length
    if (count < found.required || given.length > found.parameters.length) {
      return refused(codes.misc, `${method} ${found.parameters.map((name) => `"${name}"`).join(" ")}`)
    }
    return { result: found.run(context, given) }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return refused(error.code, error.message)
  }
}

/** The answer as it goes on the wire. */
export const replyOf = (call: Pick<Call, "version" | "id">, outcome: Outcome): Readonly<Record<string, unknown>> => {
  if (call.version === 2) return { jsonrpc: "2.0", ...outcome, id: call.id }
  return "result" in outcome
    ? { result: outcome.result, error: null, id: call.id }
    : { result: null, error: outcome.error, id: call.id }
}

/** The HTTP status of an answer to a single call. */
export const statusOf = ({ version }: Pick<Call, "version">, outcome: Outcome): number => {
  if (version === 2 || "result" in outcome) return 200
  if (outcome.error.code === codes.invalidRequest) return 400
  return outcome.error.code === codes.methodNotFound ? 404 : 500
}
