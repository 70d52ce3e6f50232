import { assert, describe, it } from "@effect/vitest"
import type { Broadcast } from "@bursar/core/port/ChainSender"
import { makeEvmSender } from "@bursar/evm"
import { Effect, Redacted } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { keccak256 } from "viem"
import { signed } from "../../support/senderNode.ts"

interface Call {
  readonly id: number
  readonly params: readonly [`0x${string}`]
}

type Body = ReadonlyArray<Call> | Call

const isBatch = (body: Body): body is ReadonlyArray<Call> => Array.isArray(body)

const taken = ({ id, params: [raw] }: Call) => ({ jsonrpc: "2.0", id, result: keccak256(raw) })

const refusal = (id: number | null, message: string) => ({ jsonrpc: "2.0", id, error: { code: -32000, message } })

const wholeRefused = refusal(null, "nonce too low: no batches")

/** No answer at all: the connection is cut. */
const cut = "cut"

const all = [5n, 6n, 7n].map((nonce) => signed({ nonce }))

/** Hands three transactions in at the same moment to a node that answers bodies as a test says. */
const handIn = Effect.fnUntraced(function* (say: (body: Body) => unknown) {
  const bodies: Array<Body> = []
  const server = createServer((request, response) => {
    let text = ""
    request.setEncoding("utf8")
    request.on("data", (chunk: string) => {
      text += chunk
    })
    request.on("end", () => {
      // our own client wrote it
      const body = JSON.parse(text) as Body
      bodies.push(body)
      const answer = say(body)
      if (answer === cut) request.socket.destroy()
      else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  // a TCP server that listens has an AddressInfo
  const rpcUrl = Redacted.make(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const sender = makeEvmSender({ network: "ethereum", rpcUrl, contracts: [] })
  const said = yield* Effect.forEach(all, ({ raw }) => sender.broadcast(raw), { concurrency: "unbounded" })
  const short = (one: Broadcast) => (one._tag === "Rejected" ? one.reason : one._tag)
  return { bodies, said: said.map(short) }
})

/** What a node that takes lists answers to one. */
const toList = (answer: (calls: ReadonlyArray<Call>) => unknown) => (body: Body) =>
  isBatch(body) ? answer(body) : taken(body)

describe("broadcasts of the same moment", () => {
  it.live("go in one request", () =>
    Effect.gen(function* () {
      const { bodies, said } = yield* handIn(toList((calls) => calls.map(taken)))
      assert.deepStrictEqual(said, ["Accepted", "Accepted", "Accepted"])
      assert.strictEqual(bodies.length, 1)
    })
  )

  const attacks: ReadonlyArray<readonly [string, (calls: ReadonlyArray<Call>) => unknown, ReadonlyArray<string>]> = [
    [
      "answers in another order",
      (calls) => calls.map((call, at) => (at === 0 ? refusal(call.id, "nonce too low") : taken(call))).toReversed(),
      ["guard_used", "Accepted", "Accepted"]
    ],
    ["leaves one out", (calls) => calls.slice(1).map(taken), ["Unknown", "Accepted", "Accepted"]],
    [
      "answers one twice in the place of another",
      (calls) => calls.map((call, at) => (at === 2 ? refusal(0, "nonce too low") : taken(call))),
      ["Unknown", "Accepted", "Unknown"]
    ],
    [
      "exchanges the hashes of two",
      (calls) => calls.map((call, at) => ({ ...taken(calls[[1, 0, 2][at] ?? 0] ?? call), id: call.id })),
      ["Unknown", "Unknown", "Accepted"]
    ],
    [
      "says of one what is not understood",
      (calls) => calls.map((call, at) => (at === 1 ? refusal(call.id, "computer says no") : taken(call))),
      ["Accepted", "Unknown", "Accepted"]
    ],
    [
      "refuses one without saying which",
      (calls) => calls.map((call, at) => (at === 1 ? refusal(null, "nonce too low") : taken(call))),
      ["Accepted", "Unknown", "Accepted"]
    ],
    ["answers with an empty list", () => [], ["Unknown", "Unknown", "Unknown"]]
  ]
  for (const [what, answer, expected] of attacks) {
    it.live(`are told apart by a node that ${what}`, () =>
      Effect.gen(function* () {
        const { bodies, said } = yield* handIn(toList(answer))
        assert.deepStrictEqual(said, expected)
        assert.strictEqual(bodies.length, 1)
      })
    )
  }

  const broken: ReadonlyArray<readonly [string, (calls: ReadonlyArray<Call>) => unknown]> = [
    ["refused as a whole", () => wholeRefused],
    ["answered with more than was asked", (calls) => [...calls, ...calls].map(taken)],
    ["cut off", () => cut]
  ]
  for (const [what, answer] of broken) {
    it.live(`are handed in again one by one where the request is ${what}`, () =>
      Effect.gen(function* () {
        const { bodies, said } = yield* handIn(toList(answer))
        assert.deepStrictEqual(said, ["Accepted", "Accepted", "Accepted"])
        assert.strictEqual(bodies.filter((body) => !isBatch(body)).length, 3)
      })
    )
  }

  it.live("are all unknown where nobody answers, and never rejected by what was said of the request", () =>
    Effect.gen(function* () {
      const { said } = yield* handIn((body) => (isBatch(body) ? wholeRefused : cut))
      assert.deepStrictEqual(said, ["Unknown", "Unknown", "Unknown"])
    })
  )
})
