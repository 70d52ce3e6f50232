import { localCurrencies } from "../test/support/localCurrencies.ts"
import { Writer } from "@bursar/core/engine/Writer"
import { RateLimits } from "@bursar/core/port/RateLimits"
import { addApiKey } from "@bursar/core/access/tenantCommands"
import type { Tenant } from "@bursar/core/tenant/Tenant"
import { ServerConfig } from "@bursar/server/config/ServerConfig"
import { makeKey } from "@bursar/server/keys/makeKey"
import { listen } from "@bursar/server/listen"
import * as PartnerServer from "@bursar/server/PartnerServer"
import { Effect, Layer, Logger, Redacted } from "effect"
import { execFile } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { idleLocalNodes, layerNetworksAlone } from "../test/support/idleNodes.ts"
import { layerVault } from "../src/assemble/vault.ts"
import type { Load, LoadResult } from "./load.ts"

const connections = 32

const config = Layer.succeed(
  ServerConfig,
  ServerConfig.of({
    serviceName: "service",
    keyPrefix: "service",
    publicAuthorities: [],
    trustedProxies: [],
    keyPepper: Redacted.make("p".repeat(32)),
    cursorSecret: Redacted.make("c".repeat(32)),
    operatorToken: Redacted.make("t".repeat(32)),
    currencies: localCurrencies,
    directoryTtl: "4 seconds"
  })
)

/** The limits as they are kept, but a million times as wide, so that counting is measured and nothing is refused. */
const wideLimits = Layer.effect(
  RateLimits,
  Effect.map(RateLimits, (limits) =>
    RateLimits.of({
      take: (windows, now) =>
        limits.take(
          windows.map((window) => ({ ...window, limit: window.limit * 1_000_000 })),
          now
        )
    })
  )
)

const run = promisify(execFile)

/** Requests per second under a load from another process. A refused or failed request spoils the measurement. */
const load = Effect.fnUntraced(function* (options: Omit<Load, "connections">) {
  const argument: Load = { ...options, connections }
  const script = fileURLToPath(new URL("load.ts", import.meta.url))
  const { stdout } = yield* Effect.tryPromise(() => run(process.execPath, [script, JSON.stringify(argument)]))
  const { failed, perSecond }: LoadResult = JSON.parse(stdout)
  if (failed > 0) return yield* Effect.die(new Error(`${failed} requests to ${options.url} failed`))
  return perSecond
})

/** A node:http server that answers a JSON body and does nothing else. */
const bare = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly close: Effect.Effect<void> }>((resume) => {
    const server = createServer((request, response) => {
      request.resume().on("end", () => {
        response.writeHead(200, { "content-type": "application/json" }).end('{"currencies":[]}')
      })
    })
    server.listen(0, "127.0.0.1", () => {
      // a TCP server that listens has an AddressInfo
      const { port } = server.address() as AddressInfo
      const close = Effect.callback<void>((closed) => {
        server.closeAllConnections()
        server.close(() => closed(Effect.void))
      })
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close }))
    })
  }),
  ({ close }) => close
)

const registration = JSON.stringify({
  addresses: [{ network: "ethereum", address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94", reference: "bench" }]
})

/** Requests per second of a bare server, `GET /v1/float` and `POST /v1/deposit-addresses`, in one run. */
export const requests = Effect.fnUntraced(function* (tenant: Tenant, seconds: number) {
  const services = yield* Layer.build(
    Layer.mergeAll(
      config,
      wideLimits,
      layerNetworksAlone(idleLocalNodes, localCurrencies),
      layerVault({
        currencies: localCurrencies,
        masterKeys: Redacted.make(`bench:${Buffer.alloc(32, 1).toString("base64")}`)
      })
    )
  )
  return yield* Effect.gen(function* () {
    const writer = yield* Writer
    const { keyPepper } = yield* ServerConfig
    const scopes = ["register:read", "deposits:write"]
    const key = yield* makeKey({ prefix: "service", tenant, label: "bench", scopes, pepper: keyPepper })
    yield* writer.submit(tenant.id, addApiKey(key.record))
    const headers = { authorization: `Bearer ${Redacted.value(key.secret)}` }
    const server = yield* listen(PartnerServer.routes, { port: 0 })
    const { url } = yield* bare
    yield* load({ url: `${server.url}/v1/float`, headers, seconds: 2 })
    const baseline = yield* load({ url, seconds })
    const float = yield* load({ url: `${server.url}/v1/float`, headers, seconds })
    const register = yield* load({ url: `${server.url}/v1/deposit-addresses`, headers, seconds, body: registration })
    return { baseline, float, register }
  }).pipe(Effect.provide(services), Effect.provide(Logger.layer([])))
})
