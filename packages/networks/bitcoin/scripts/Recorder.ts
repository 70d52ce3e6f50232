import { Effect } from "effect"
import type { Asked, Phase, Step } from "../test/support/recorded.ts"

/** Asks a node and keeps what it answers. */
export interface Recorder {
  /** Begins a phase. */
  readonly phase: (name: string) => void
  readonly phases: () => ReadonlyArray<Phase>
  /** Sets the node's clock, in seconds. */
  readonly at: (time: number) => Effect.Effect<void>
  /** Asks, and keeps the answer. */
  readonly ask: (method: string, ...params: ReadonlyArray<unknown>) => Effect.Effect<Asked>
  /** Asks until the node has begun to listen, and keeps what it says as long as it is not ready. */
  readonly warmup: Effect.Effect<void>
  /** Asks without keeping the answer; the node must not refuse. */
  readonly quietly: <A>(method: string, ...params: ReadonlyArray<unknown>) => Effect.Effect<A>
  /** Keeps a block that was mined. */
  readonly keepBlock: (hash: string) => Effect.Effect<void>
}

/** RPC_IN_WARMUP. */
const inWarmup = -28

/** Another try is made at once: a node is not ready for a moment only. */
const triesMax = 100_000

const post = (rpcUrl: string, method: string, params: ReadonlyArray<unknown>): Effect.Effect<Asked> => {
  const url = new URL(rpcUrl)
  const authorization = `Basic ${Buffer.from(`${url.username}:${url.password}`).toString("base64")}`
  return Effect.promise(async () => {
    const response = await fetch(url.origin, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "1.0", id: 0, method, params })
    })
    // What JSON-RPC 1.0 says: one of the two is null.
    const { error, result } = (await response.json()) as Pick<Asked, "result"> & {
      readonly error: Asked["error"] | null
    }
    return { method, params, status: response.status, ...(error ? { error } : { result }) }
  })
}

/** A recorder of the node at an address with user and password. */
export const makeRecorder = (rpcUrl: string): Recorder => {
  const phases: Array<{ readonly name: string; readonly steps: Array<Step> }> = []
  const keep = (step: Step) => void phases.at(-1)?.steps.push(step)
  const quietly: Recorder["quietly"] = <A>(method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.flatMap(post(rpcUrl, method, params), ({ error, result }) =>
      error === undefined
        ? // The script knows what the method answers.
          Effect.succeed(result as A)
        : Effect.die(new Error(`${method}: ${error.message} (${error.code})`))
    )
  const ready = Effect.suspend(() => post(rpcUrl, "getblockchaininfo", [])).pipe(
    Effect.sandbox,
    Effect.retry({ times: triesMax }),
    Effect.orDie
  )
  const warmup = Effect.gen(function* () {
    const said = new Map<string, Asked>()
    for (let asked = yield* ready; asked.error?.code === inWarmup; asked = yield* ready)
      said.set(asked.error.message, asked)
    for (const asked of said.values()) keep(asked)
  })
  return {
    warmup,
    phase: (name) => void phases.push({ name, steps: [] }),
    phases: () => phases,
    at: (time) => Effect.map(quietly("setmocktime", time), () => keep({ at: time })),
    ask: (method, ...params) => Effect.tap(post(rpcUrl, method, params), (asked) => Effect.sync(() => keep(asked))),
    quietly,
    keepBlock: (hash) => Effect.map(quietly<string>("getblock", hash, 0), (block) => keep({ block }))
  }
}
