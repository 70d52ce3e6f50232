/**
 * How many requests per second GET /v1/float answers over storage in memory, beside a bare node:http server that answers
 * the same bytes. Both run in this process one after the other; the load comes from a second one.
 *
 * node packages/server/bench/float.ts
 */
import { fork } from "node:child_process"
import { Agent, createServer, get } from "node:http"
import { performance } from "node:perf_hooks"
import { RateLimits } from "@bursar/core/port/RateLimits"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import type { State } from "@bursar/memory"
import { Context, Effect, Layer } from "effect"
import { Partner, portsOver } from "../test/support/Partner.ts"

const seconds = 5
const connections = 32

/** The load is one key's, which the real limits would stop. */
const unlimited = Layer.succeed(
  RateLimits,
  RateLimits.of({ take: () => Effect.succeed({ _tag: "Allowed", remaining: 1, resetSeconds: 60 }) })
)

const ask = (url: string, key: string, agent: Agent): Promise<number> =>
  new Promise((resolve, reject) => {
    get(url, { agent, headers: { authorization: `Bearer ${key}` } }, (response) => {
      response.resume()
      response.on("end", () => resolve(response.statusCode ?? 0))
    }).on("error", reject)
  })

/** Asks as fast as the server answers, over connections that stay open; gives requests per second. */
const load = async (url: string, key: string): Promise<number> => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const one = async (until: number): Promise<number> => {
    let count = 0
    while (performance.now() < until) {
      // oxlint-disable-next-line no-await-in-loop -- one connection asks one thing at a time
      const status = await ask(url, key, agent)
      if (status !== 200) throw new Error(`the server answered ${status}`)
      count += 1
    }
    return count
  }
  const many = (until: number) => Promise.all(Array.from({ length: connections }, () => one(until)))
  await many(performance.now() + 2_000)
  const counts = await many(performance.now() + seconds * 1_000)
  agent.destroy()
  return counts.reduce((sum, count) => sum + count, 0) / seconds
}

const loadFromAnotherProcess = (url: string, key: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = fork(import.meta.filename, [url, key])
    child.on("message", (rate) => resolve(Number(rate)))
    child.on("error", reject)
  })

const bare = (body: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
      response.end(body)
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      loadFromAnotherProcess(`http://127.0.0.1:${port}/`, "none")
        .then(resolve, reject)
        .finally(() => server.close())
    })
  })

const measure = Effect.gen(function* () {
  const ports = (state: State) => Layer.merge(portsOver(state), unlimited)
  const context = yield* Layer.build(Partner.layer({ directoryTtl: "4 seconds" }, ports))
  const { seeder, send, url } = Context.get(context, Partner)
  const tenant = yield* seeder.tenant()
  const key = yield* seeder.key(tenant)
  for (const currency of ["EUR", "USD", "ETH"]) {
    yield* seeder.submit(
      tenant,
      adjustFloat({ amount: { units: 123_456n, currency }, against: "custodian", reason: "bench" })
    )
  }
  const { text } = yield* send("GET", "/v1/float", { key })
  const served = yield* Effect.promise(() => loadFromAnotherProcess(`${url}/v1/float`, key))
  return { served, text }
})

const [url, key] = process.argv.slice(2)
if (url !== undefined && key !== undefined) {
  process.send?.(await load(url, key))
} else {
  const { served, text } = await Effect.runPromise(Effect.scoped(measure))
  const plain = await bare(text)
  process.stdout.write(
    `GET /v1/float: ${Math.round(served)} per second; node:http alone: ${Math.round(plain)} per second\n`
  )
}
