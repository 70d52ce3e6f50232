import { Data, Effect } from "effect"
import { Agent, type AgentOptions, type ClientRequest, type IncomingMessage, request as plainRequest } from "node:http"
import { Agent as TlsAgent, type AgentOptions as TlsAgentOptions, request as tlsRequest } from "node:https"
import { linesType, signPath } from "./signLines.ts"
import type { PostLines } from "./signTogether.ts"

/** The longest line of an answer: a transaction with all its signatures takes a hundredth of it. */
const lineMax = 2 ** 24

/** How often a request is made again whose connection broke before anything came back. */
const repeats = 2

/** The connection broke, and nothing came back. */
class Broken extends Data.TaggedError("Broken")<{ readonly cause: unknown }> {}

/** Tells the lines of what comes. Throws where one is too long. */
const makeLines = (onLine: (line: string) => void) => {
  let rest = ""
  return {
    add: (part: string): void => {
      const lines = (rest + part).split("\n")
      rest = lines.pop() ?? ""
      if (rest.length > lineMax) throw new Error("a line is too long")
      for (const line of lines) onLine(line)
    },
    end: (): void => {
      if (rest !== "") onLine(rest)
    }
  }
}

const receive = (response: IncomingMessage, onLine: (line: string) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const lines = makeLines(onLine)
    const orReject = (use: () => void): void => {
      try {
        use()
      } catch (error) {
        response.destroy()
        reject(error)
      }
    }
    response.setEncoding("utf8")
    response.on("data", (part: string) => orReject(() => lines.add(part)))
    response.on("end", () =>
      orReject(() => {
        lines.end()
        resolve()
      })
    )
    response.on("error", reject)
    response.on("close", () => reject(new Error("it broke off")))
    if (response.statusCode !== 200) response.destroy()
  })

/** Posts lines to the signer at an address, over connections that stay open. */
export const makePostLines = (baseUrl: string, options: AgentOptions & TlsAgentOptions): PostLines => {
  const isTls = baseUrl.startsWith("https:")
  const agent = isTls ? new TlsAgent(options) : new Agent(options)
  const { hostname, port } = new URL(baseUrl)
  const given = {
    agent,
    hostname,
    ...(port !== "" && { port }),
    method: "POST",
    path: signPath,
    headers: { "content-type": linesType }
  }
  const post = (lines: string, onLine: (line: string) => void) =>
    Effect.callback<void, unknown>((resume) => {
      const request: ClientRequest = (isTls ? tlsRequest : plainRequest)(given)
      request.on("error", (cause) => resume(Effect.fail(new Broken({ cause }))))
      request.on("response", (response) => {
        receive(response, onLine).then(
          () => resume(Effect.void),
          (error: unknown) => resume(Effect.fail(error))
        )
      })
      request.end(lines)
      return Effect.sync(() => request.destroy())
    })
  return (lines, onLine) => {
    let heard = false
    const hear = (line: string): void => {
      heard = true
      onLine(line)
    }
    // a kept connection may be closed in the moment in which it is used again; what was signed is remembered
    return Effect.retry(post(lines, hear), { times: repeats, while: (error) => error instanceof Broken && !heard })
  }
}
