import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { createServer, type RequestListener } from "node:http"
import { makeHorizonHttp } from "../src/internal/rpc/Rpc.ts"

const nodeThat = (answers: RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: Redacted.Redacted<string>; readonly close: () => void }>((resume) => {
      const server = createServer(answers)
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        if (address === null || typeof address === "string") return assert.fail("a server has a port")
        const close = () => {
          server.closeAllConnections()
          server.close()
        }
        resume(Effect.succeed({ url: Redacted.make(`http://127.0.0.1:${address.port}`), close }))
        return undefined
      })
    }),
    ({ close }) => Effect.sync(close)
  )

it.live(
  "a Stellar RPC that is asked too much keeps nobody from Horizon, which is another machine, and all from itself",
  () =>
    Effect.gen(function* () {
      let asked = 0
      const horizon = yield* nodeThat((_, answer) => void answer.writeHead(200).end("{}"))
      const rpc = yield* nodeThat((_, answer) => {
        asked += 1
        answer.writeHead(429, { "retry-after": "60" }).end("slow down")
      })
      const options = { horizonUrl: horizon.url, rpcUrl: rpc.url, timeoutMs: 10_000, callsMax: 4 }
      const [reader, sender] = [makeHorizonHttp(options), makeHorizonHttp(options)]
      const told: Array<false | undefined> = []
      for (const { rpc: ask } of [reader, sender]) {
        if (ask === undefined) return assert.fail("there is a Stellar RPC")
        told.push((yield* Effect.flip(ask("ask", "getNetwork"))).wasAsked)
      }
      assert.strictEqual(asked, 1, "the sender does not ask on")
      assert.deepStrictEqual(told, [undefined, false])
      assert.deepStrictEqual(yield* reader.get("ask", ""), {})
      assert.deepStrictEqual(yield* sender.get("ask", ""), {})
      return undefined
    })
)
