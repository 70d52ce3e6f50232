import { makeEvmReader, type EvmReader, type EvmReaderOptions, type EvmNetwork } from "@bursar/evm"
import { Effect, Redacted } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** An answer that is not simply a result. */
export type Odd =
  | { readonly odd: "refuse"; readonly code: number; readonly message: string }
  | { readonly odd: "body"; readonly status: number; readonly type: string; readonly text: string }
  | { readonly odd: "never" }

/** What a node answers to a method: a result, or something odd. */
export type Answer = (params: ReadonlyArray<unknown>) => unknown

/** A node that says what a test wants it to say. */
export interface ScriptedNode {
  readonly chain: EvmReader
  readonly url: string
  /** Gives a method its answer, from now on. Methods without one do not exist. */
  readonly answer: (method: string, answer: Answer) => void
  readonly asked: (method: string) => number
  /** Keeps the answers to a method back until so many calls wait for one, again and again. */
  readonly inGroups: (method: string, size: number) => void
  /** The most calls that were under way at once. */
  readonly busiest: () => number
}

/** An error of the node. */
export const refuse = (code: number, message: string): Odd => ({ odd: "refuse", code, message })

/** Something that need not be JSON-RPC. */
export const body = (text: string, status = 200, type = "application/json"): Odd => ({
  odd: "body",
  status,
  type,
  text
})

/** No answer at all. */
export const never: Odd = { odd: "never" }

const isOdd = (value: unknown): value is Odd => typeof value === "object" && value !== null && "odd" in value

/** Starts such a node, with a reader of it, until the scope closes. */
export const scriptedNode = (network: EvmNetwork, options: Partial<EvmReaderOptions> = {}) =>
  Effect.gen(function* () {
    const answers = new Map<string, Answer>()
    const counts = new Map<string, number>()
    const groups = new Map<string, { readonly size: number; waiting: ReadonlyArray<() => void> }>()
    let busy = 0
    let busiest = 0
    const server = createServer((request, response) => {
      let text = ""
      request.setEncoding("utf8")
      request.on("data", (chunk: string) => {
        text += chunk
      })
      request.on("end", () => {
        // Our own client wrote it.
        const call = JSON.parse(text) as {
          readonly id: number
          readonly method: string
          readonly params: ReadonlyArray<unknown>
        }
        counts.set(call.method, (counts.get(call.method) ?? 0) + 1)
        busy++
        busiest = Math.max(busiest, busy)
        const reply = (status: number, type: string, content: string) => {
          busy--
          response.writeHead(status, { "content-type": type }).end(content)
        }
        const answer = () => {
          const result =
            answers.get(call.method)?.(call.params) ??
            (answers.has(call.method) ? null : refuse(-32601, "method not found"))
          const json = (content: object) =>
            reply(200, "application/json", JSON.stringify({ jsonrpc: "2.0", id: call.id, ...content }))
          if (!isOdd(result)) return json({ result })
          if (result.odd === "never") return undefined
          if (result.odd === "body") return reply(result.status, result.type, result.text)
          return json({ error: { code: result.code, message: result.message } })
        }
        const group = groups.get(call.method)
        if (group === undefined) return answer()
        group.waiting = [...group.waiting, answer]
        if (group.waiting.length < group.size) return undefined
        const ready = group.waiting
        group.waiting = []
        for (const one of ready) one()
        return undefined
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
    // A TCP server that listens has an AddressInfo.
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const node: ScriptedNode = {
      url,
      chain: makeEvmReader({ network, rpcUrl: Redacted.make(url), contracts: [], ...options }),
      answer: (method, answer) => answers.set(method, answer),
      inGroups: (method, size) => groups.set(method, { size, waiting: [] }),
      asked: (method) => counts.get(method) ?? 0,
      busiest: () => busiest
    }
    return node
  })
