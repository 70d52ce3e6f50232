import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { createServer, type RequestListener } from "node:http"
import { makeRpc } from "../src/internal/rpc/Rpc.ts"

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
  "a solidity node that is asked too much keeps nobody from the full node, which is another machine, and all from itself",
  () =>
    Effect.gen(function* () {
      let asked = 0
      const full = yield* nodeThat((_, answer) => void answer.writeHead(200).end("{}"))
      const solidity = yield* nodeThat((_, answer) => {
        asked += 1
        answer.writeHead(429, { "retry-after": "60" }).end("slow down")
      })
      const options = {
        nodeUrl: full.url,
        solidityUrl: solidity.url,
        apiKey: undefined,
        timeoutMs: 10_000,
        callsMax: 4,
        answerBytesMax: 1_000
      }
      const [reader, sender] = [makeRpc(options), makeRpc(options)]
      const told: Array<unknown> = []
      for (const { call } of [reader, sender]) {
        const error = yield* Effect.flip(call("ask", "walletsolidity", "getnowblock", {}))
        told.push(error._tag === "ChainError" ? error.wasAsked : error)
      }
      assert.strictEqual(asked, 1, "the sender does not ask on")
      assert.deepStrictEqual(told, [undefined, false])
      assert.deepStrictEqual(yield* reader.call("ask", "wallet", "getnowblock", {}), {})
      assert.deepStrictEqual(yield* sender.call("ask", "wallet", "broadcasthex", {}), {})
    })
)
