import { listen } from "@bursar/server/listen"
import * as PartnerServer from "@bursar/server/PartnerServer"
import { Effect, Layer, Logger } from "effect"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { bareServer } from "./http/bareServer.ts"
import { processorTime, type ProcessorTime } from "./http/processorTime.ts"
import { openClient, outside } from "./http/service.ts"
import type { Load, LoadResult } from "./load.ts"

const run = promisify(execFile)

/** Requests per second, and the processor time of one of them, in microseconds. */
export interface Served {
  readonly perSecond: number
  readonly each: ProcessorTime
}

/** What a load from another process is answered. */
export const loaded = (options: Load) =>
  Effect.map(
    Effect.tryPromise(() =>
      run(process.execPath, [fileURLToPath(new URL("load.ts", import.meta.url)), JSON.stringify(options)])
    ),
    // it prints that and nothing else
    ({ stdout }) => JSON.parse(stdout) as LoadResult
  )

/** The same; a refused or failed request spoils the measurement. */
const load = Effect.fnUntraced(function* (options: Load) {
  const result = yield* loaded(options)
  if (result.failed > 0)
    return yield* Effect.die(
      new Error(`${result.failed} requests to ${options.url} failed, the first with ${result.refusal}`)
    )
  return result
})

const registration = JSON.stringify({
  addresses: [{ network: "ethereum", address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94", reference: "bench" }]
})

const amount = { amount: "1", currency: "USDC_ETH" }

/** The body of a withdrawal, which holds its amount and takes a fee. */
export const withdrawal = JSON.stringify({ amount })

const payout = JSON.stringify({
  amount,
  network: "ethereum",
  destination: { address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94" },
  reference: "bench"
})

/** The numbers of connections that a measurement is made with. */
export const connections = { float: [16, 64, 256], lists: 16, withdrawals: [64, 256], other: 32 } as const

/** The lists, with how many rows each shows. */
export const lists = [
  { path: "/v1/register?limit=50", rows: 50 },
  { path: "/v1/events?limit=100", rows: 100 }
] as const

/** Fails where a list does not show the rows that its time is divided by. */
const assertRows = Effect.fnUntraced(function* (url: string, headers: Record<string, string>, rows: number) {
  const answer: unknown = yield* Effect.tryPromise(async () => (await fetch(url, { headers })).json())
  const shown = Object.values(Object(answer)).find(Array.isArray)?.length
  if (shown !== rows) return yield* Effect.die(new Error(`${url} shows ${shown} rows, not ${rows}`))
})

/**
 * A partner server for the length of a scope, and how it is asked. `postmaster` is the first process of the database's server.
 */
export const openServer = Effect.fnUntraced(function* (seconds: number, postmaster: number) {
  const services = yield* Layer.build(outside)
  const { headers, signer, url } = yield* Effect.gen(function* () {
    return { ...(yield* openClient), ...(yield* listen(PartnerServer.routes, { port: 0 })) }
  }).pipe(Effect.provide(services), Effect.provide(Logger.layer([])))

  const serve = Effect.fnUntraced(function* (options: Omit<Load, "seconds">) {
    const before = processorTime(postmaster)
    const { answered, perSecond } = yield* load({ ...options, seconds })
    const after = processorTime(postmaster)
    const of = (which: keyof ProcessorTime) => (after[which] - before[which]) / answered
    return { perSecond, each: { server: of("server"), database: of("database") } } satisfies Served
  })
  const ask = (path: string, options: Omit<Load, "seconds" | "url">) =>
    serve({ url: `${url}${path}`, headers, ...options })

  // what is measured has been compiled by then
  yield* load({ url: `${url}/v1/float`, headers, connections: 64, seconds: Math.max(2, seconds) })
  return { ask, headers, serve, signer, url }
})

/** What the partner server answers over HTTP, beside a bare server, in one run: from reads to signed payouts. */
export const requests = Effect.fnUntraced(function* (seconds: number, postmaster: number) {
  const { ask, headers, serve, signer, url: own } = yield* openServer(seconds, postmaster)
  const { url } = yield* bareServer

  const float = yield* Effect.forEach(connections.float, (count) =>
    Effect.gen(function* () {
      const baseline = yield* serve({ url, connections: count })
      return { count, baseline, served: yield* ask("/v1/float", { connections: count }) }
    })
  )
  const withdrawals = yield* Effect.forEach(connections.withdrawals, (count) =>
    Effect.map(ask("/v1/withdrawals", { connections: count, body: withdrawal }), (served) => ({ count, served }))
  )
  const listed = yield* Effect.forEach(lists, ({ path, rows }) =>
    Effect.andThen(
      assertRows(`${own}${path}`, headers, rows),
      Effect.map(ask(path, { connections: connections.lists }), (served) => ({ path, rows, served }))
    )
  )
  const payouts = yield* ask("/v1/chain-payouts", { connections: connections.other, body: payout, signer })
  const register = yield* ask("/v1/deposit-addresses", { connections: connections.other, body: registration })
  return { float, listed, withdrawals, payouts, register }
})
