import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import recorded from "../vectors/regtest-block.json" with { type: "json" }

/** A call as it came in. */
export interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** What a node answers: the status and the text of the body. */
export interface Answer {
  readonly status: number
  readonly text: string
}

/** The answer with a result. */
export const result = (call: Call, value: unknown): Answer => ({
  status: 200,
  text: JSON.stringify({ result: value, error: null, id: call.id })
})

/** The answer with an error, as Bitcoin Core gives it. */
export const refusal = (call: Call, code: number, message: string): Answer => ({
  status: 500,
  text: JSON.stringify({ result: null, error: { code, message }, id: call.id })
})

/** The recorded answer to a call, under the id of the call; "Method not found" for what was not recorded. */
export const replay = (call: Call): Answer => {
  const found = recorded.calls.find(
    ({ method, params }) => method === call.method && JSON.stringify(params) === JSON.stringify(call.params)
  )
  return found === undefined
    ? refusal(call, -32601, "Method not found")
    : { status: 200, text: found.answer.replace(/"id":0\}\s*$/u, `"id":${call.id}}`) }
}

/** The `result` of a recorded call. */
export const recordedResult = (method: string, verbosity?: number) => {
  const found = recorded.calls.find(
    (call) => call.method === method && (verbosity === undefined || call.params[1] === verbosity)
  )
  return JSON.parse(found!.answer).result
}

/** An HTTP server on which `answer` decides; a batch is answered call by call. Gives its address and what headers it saw. */
export const fakeNode = (answer: (call: Call) => Answer) =>
  Effect.acquireRelease(
    Effect.callback<{
      readonly url: string
      readonly authorizations: Array<string | undefined>
      readonly stop: () => void
    }>((resume) => {
      const authorizations: Array<string | undefined> = []
      const server = createServer((request, response) => {
        authorizations.push(request.headers.authorization)
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Call | ReadonlyArray<Call>
          const { status, text } =
            "map" in body ? { status: 200, text: `[${body.map((call) => answer(call).text).join(",")}]` } : answer(body)
          response.writeHead(status, { "content-type": "application/json" }).end(text)
        })
      })
      server.listen(0, "127.0.0.1", () =>
        resume(
          Effect.succeed({
            url: `http://user:pass%2Fword@127.0.0.1:${(server.address() as AddressInfo).port}`,
            authorizations,
            stop: () => {
              server.close()
              server.closeAllConnections()
            }
          })
        )
      )
    }),
    ({ stop }) => Effect.sync(stop)
  )
