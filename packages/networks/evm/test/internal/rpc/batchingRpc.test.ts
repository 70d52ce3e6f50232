import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { makeBatchingRpc } from "../../../src/internal/rpc/batchingRpc.ts"

interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

type Body = ReadonlyArray<Call> | Call

/** A node that answers whole bodies as a test says, and remembers them. */
const nodeSaying = (say: (body: Body) => unknown) =>
  Effect.gen(function* () {
    const bodies: Array<Body> = []
    const server = createServer((request, response) => {
      let text = ""
      request.setEncoding("utf8")
      request.on("data", (chunk: string) => {
        text += chunk
      })
      request.on("end", () => {
        // Our own client wrote it.
        const body = JSON.parse(text) as Body
        bodies.push(body)
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(say(body)))
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
    const rpcOf = (batchMax: number) =>
      makeBatchingRpc({
        network: "ethereum",
        // A TCP server that listens has an AddressInfo.
        rpcUrl: Redacted.make(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
        timeoutMs: 5_000,
        callsMax: 4,
        batchMax
      })
    return { bodies, rpcOf }
  })

const listOf = (body: Body): ReadonlyArray<Call> => ("map" in body ? body : [body])

/** What was asked is the answer. */
const echo = ({ id, params }: Call) => ({ jsonrpc: "2.0", id, result: params[0] })

const numbers = Array.from({ length: 10 }, (_, index) => index)

describe("makeBatchingRpc", () => {
  it.live("asks together what is asked at the same moment, and the same question once", () =>
    Effect.gen(function* () {
      const { bodies, rpcOf } = yield* nodeSaying((body) => listOf(body).map(echo))
      const { ask } = rpcOf(50)
      const asked = [...numbers, ...numbers, ...numbers]
      const answers = yield* Effect.forEach(asked, (number) => ask("test", "m", [number]), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(answers, asked)
      assert.deepStrictEqual(
        bodies.map((body) => listOf(body).length),
        [10]
      )
    })
  )

  it.live("asks again what is asked later", () =>
    Effect.gen(function* () {
      const { bodies, rpcOf } = yield* nodeSaying((body) => listOf(body).map(echo))
      const { ask } = rpcOf(50)
      yield* ask("test", "m", [1])
      yield* ask("test", "m", [1])
      assert.strictEqual(bodies.length, 2)
    })
  )

  it.live("sends no more in a request than the node takes", () =>
    Effect.gen(function* () {
      const { bodies, rpcOf } = yield* nodeSaying((body) => listOf(body).map(echo))
      const answers = yield* Effect.forEach(numbers, (number) => rpcOf(4).ask("test", "m", [number]))
      assert.deepStrictEqual(answers, numbers)
      const { ask } = rpcOf(4)
      bodies.length = 0
      yield* Effect.forEach(numbers, (number) => ask("test", "m", [number]), { concurrency: "unbounded" })
      assert.deepStrictEqual(bodies.map((body) => listOf(body).length).toSorted(), [2, 4, 4])
    })
  )

  it.live("asks one by one, and not in lists, where there are no batches", () =>
    Effect.gen(function* () {
      const { bodies, rpcOf } = yield* nodeSaying((body) => ("map" in body ? [] : echo(body)))
      const { ask } = rpcOf(1)
      const answers = yield* Effect.forEach(numbers, (number) => ask("test", "m", [number]), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(answers, numbers)
      assert.strictEqual(bodies.length, 10)
    })
  )

  it.live("takes answers in any order, each for its own question", () =>
    Effect.gen(function* () {
      const { rpcOf } = yield* nodeSaying((body) => listOf(body).map(echo).toReversed())
      const { ask } = rpcOf(50)
      const answers = yield* Effect.forEach(numbers, (number) => ask("test", "m", [number]), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(answers, numbers)
    })
  )

  it.live("never takes the answer to one question for that to another where one is left out", () =>
    Effect.gen(function* () {
      const { rpcOf } = yield* nodeSaying((body) => listOf(body).slice(1).map(echo))
      const { ask } = rpcOf(50)
      const answers = yield* Effect.forEach(numbers, (number) => Effect.result(ask("test", "m", [number])), {
        concurrency: "unbounded"
      })
      const [first, ...rest] = answers
      assert.strictEqual(first?._tag === "Failure" ? first.failure.reason : "", "inconsistent")
      assert.deepStrictEqual(
        rest.map((answer) => (answer._tag === "Success" ? answer.success : undefined)),
        numbers.slice(1)
      )
    })
  )

  it.live("believes neither of two answers to one question", () =>
    Effect.gen(function* () {
      const { rpcOf } = yield* nodeSaying((body) => listOf(body).map(({ params }) => ({ id: 0, result: params[0] })))
      const { ask } = rpcOf(50)
      const answers = yield* Effect.forEach([1, 2], (number) => Effect.flip(ask("test", "m", [number])), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        answers.map(({ reason }) => reason),
        ["inconsistent", "inconsistent"]
      )
    })
  )

  it.live("refuses one question without harm to the others", () =>
    Effect.gen(function* () {
      const { rpcOf } = yield* nodeSaying((body) =>
        listOf(body).map((call) =>
          call.params[0] === 3 ? { id: call.id, error: { code: -32000, message: "not this one" } } : echo(call)
        )
      )
      const { call } = rpcOf(50)
      const answers = yield* Effect.forEach(numbers, (number) => Effect.result(call("test", "m", [number])), {
        concurrency: "unbounded"
      })
      for (const [number, answer] of answers.entries()) {
        if (number === 3) assert.strictEqual(answer._tag === "Failure" ? answer.failure._tag : "", "NodeRefusal")
        else assert.strictEqual(answer._tag === "Success" ? answer.success : undefined, number)
      }
    })
  )

  it.live("takes a refusal of the whole batch for no answer to any question", () =>
    Effect.gen(function* () {
      const { rpcOf } = yield* nodeSaying(() => ({ id: null, error: { code: -32600, message: "batch too large" } }))
      const { ask } = rpcOf(50)
      const answers = yield* Effect.forEach([1, 2], (number) => Effect.flip(ask("test", "m", [number])), {
        concurrency: "unbounded"
      })
      for (const { detail, reason } of answers) {
        assert.strictEqual(reason, "unreachable")
        assert.include(detail, "batch too large")
      }
    })
  )
})
