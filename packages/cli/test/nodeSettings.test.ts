import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { nodeOf } from "../src/assemble/adapters.ts"
import { evmDefaults, type NetworkSettings } from "../src/config/NetworkSettings.ts"

/** A node of one's own words. */
const nodeThat = (answers: RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: Redacted.Redacted; readonly close: () => void }>((resume) => {
      const server = createServer(answers)
      server.listen(0, "127.0.0.1", () => {
        // a server that listens on a port has an address of this kind
        const { port } = server.address() as AddressInfo
        const close = () => {
          server.closeAllConnections()
          server.close()
        }
        resume(Effect.succeed({ url: Redacted.make(`http://127.0.0.1:${port}`), close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const paced = { confirmations: null, pollIntervalMs: null, timeoutMs: 50 }

const nodesAt = (url: Redacted.Redacted): ReadonlyArray<NetworkSettings> => [
  { ...evmDefaults, ...paced, network: "ethereum", rpcUrl: url },
  { ...paced, family: "bitcoin", network: "bitcoin", rpcUrl: url, chain: "main" },
  { ...paced, family: "tron", network: "tron", nodeUrl: url, solidityUrl: null, apiKey: null, genesisBlockId: null },
  {
    ...paced,
    family: "stellar",
    network: "stellar",
    horizonUrl: url,
    rpcUrl: null,
    networkPassphrase: "Public Global Stellar Network ; September 2015"
  }
]

it.live("each network asks its node as the settings say", () =>
  Effect.gen(function* () {
    const { url } = yield* nodeThat(() => undefined)
    for (const settings of nodesAt(url)) {
      const { adapter } = nodeOf(defaultCurrencies, settings)
      const { detail } = yield* Effect.flip(adapter.reader.tip)
      assert.match(detail, /no answer within 50 ms/u, settings.network)
      assert.throws(() => nodeOf(defaultCurrencies, { ...settings, callsMax: 0 }), /callsMax/u, settings.network)
      if (settings.family === "evm")
        assert.throws(() => nodeOf(defaultCurrencies, { ...settings, batchMax: 0 }), /batchMax/u)
    }
  })
)

it.effect("a node that says it is asked too much is not asked before the time that it names", () =>
  Effect.gen(function* () {
    let asked = 0
    const { url } = yield* nodeThat((_, answer) => {
      asked += 1
      answer.writeHead(429, { "retry-after": "30" }).end("too many requests")
    })
    for (const settings of nodesAt(url)) {
      const { reader } = nodeOf(defaultCurrencies, settings).adapter
      const ask = Effect.map(Effect.flip(reader.tip), ({ detail, reason }) => ({ asked, detail, reason }))
      const first = yield* ask
      assert.match(first.detail, /HTTP 429/u, settings.network)
      const second = yield* ask
      assert.match(second.detail, /not asked: the node said HTTP 429, and is left alone for 30 s/u)
      assert.deepStrictEqual([second.asked, second.reason], [first.asked, "unreachable"], settings.network)
      yield* TestClock.adjust(30_000)
      assert.isAbove((yield* ask).asked, first.asked, settings.network)
    }
  })
)
