/** A JSON-RPC request as it stands on the wire. */
export interface JsonRpcCall {
  readonly id: unknown
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** A JSON-RPC answer; one of `result` and `error` is there. */
export interface JsonRpcReply {
  readonly jsonrpc: "2.0"
  readonly id: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

const toCall = (value: unknown): JsonRpcCall | undefined => {
  if (typeof value !== "object" || value === null || !("method" in value) || typeof value.method !== "string")
    return undefined
  const params = "params" in value && Array.isArray(value.params) ? value.params : []
  return { id: "id" in value ? value.id : null, method: value.method, params }
}

/** The calls of a body and whether it was a batch; undefined if it is not JSON-RPC that we understand. */
export const parse = (
  body: string
): { readonly batch: boolean; readonly calls: ReadonlyArray<JsonRpcCall> } | undefined => {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return undefined
  }
  const batch = Array.isArray(value)
  const calls = (Array.isArray(value) ? value : [value]).map(toCall)
  return calls.some((call) => call === undefined) || calls.length === 0
    ? undefined
    : { batch, calls: calls.filter((call) => call !== undefined) }
}

/** An answer with a result. */
export const succeed = (call: JsonRpcCall, result: unknown): JsonRpcReply => ({ jsonrpc: "2.0", id: call.id, result })

/** An answer with an error. */
export const fail = (call: JsonRpcCall, code: number, message: string): JsonRpcReply => ({
  jsonrpc: "2.0",
  id: call.id,
  error: { code, message }
})
