import { Effect } from "effect"
import { DevnetError } from "@bursar/simulator-kit/DevnetError"

/** One JSON-RPC call to a node; gives the `result`, or fails with `rpc_failed` and the node's own words. */
export type Rpc = <A = unknown>(method: string, params?: ReadonlyArray<unknown>) => Effect.Effect<A, DevnetError>

/** The reply of a JSON-RPC node. */
interface Reply {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

const failed = (method: string, what: string, cause?: unknown) =>
  new DevnetError({
    code: "rpc_failed",
    message: `${method}: ${what}`,
    hint: "Check that the node still runs and that the parameters suit the method.",
    ...(cause === undefined ? {} : { cause })
  })

/** Calls a local node, for which the caller knows the type of each result. */
export const make =
  (url: string): Rpc =>
  <A>(method: string, params: ReadonlyArray<unknown> = []) =>
    Effect.tryPromise({
      try: async (signal) => {
        const response = await fetch(url, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
          signal
        })
        return (await response.json()) as Reply
      },
      catch: (cause) => failed(method, cause instanceof Error ? cause.message : String(cause), cause)
    }).pipe(
      Effect.flatMap((reply) =>
        reply.error === undefined
          ? // The node is ours: a method's result has the type its documentation says.
            Effect.succeed(reply.result as A)
          : Effect.fail(failed(method, `${reply.error.message} (${reply.error.code})`))
      )
    )

/** A quantity as JSON-RPC writes it. */
export const toHex = (value: bigint | number): `0x${string}` => `0x${value.toString(16)}`
