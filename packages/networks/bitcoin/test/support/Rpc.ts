import { Effect, Schema } from "effect"

/** A call was refused by the node, or not answered. */
export class RpcFailure extends Schema.TaggedError<RpcFailure>()("RpcFailure", {
  method: Schema.String,
  code: Schema.Number,
  message: Schema.String
}) {}

/** A call to a node; the test knows what it answers. */
export type Rpc = <A = unknown>(method: string, ...params: ReadonlyArray<unknown>) => Effect.Effect<A, RpcFailure>

/** A client for tests, independent of the one under test. */
export const rpcTo = (rpcUrl: string): Rpc => {
  const url = new URL(rpcUrl)
  const authorization = `Basic ${Buffer.from(`${url.username}:${url.password}`).toString("base64")}`
  return <A>(method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.tryPromise({
      try: async () => {
        const response = await fetch(url.origin, {
          method: "POST",
          headers: { authorization, "content-type": "application/json" },
          body: JSON.stringify({ method, params, id: 1 })
        })
        return (await response.json()) as {
          readonly result: A
          readonly error: { readonly code: number; readonly message: string } | null
        }
      },
      catch: (cause) => new RpcFailure({ method, code: 0, message: String(cause) })
    }).pipe(
      Effect.flatMap(({ error, result }) =>
        error === null ? Effect.succeed(result) : Effect.fail(new RpcFailure({ method, ...error }))
      )
    )
}
