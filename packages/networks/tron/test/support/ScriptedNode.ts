import * as HttpListener from "@bursar/simulator-kit/HttpListener"
import { Effect } from "effect"

/** What a node answers to a question: something of JSON. */
export type Scripted = (body: unknown) => unknown

/** A node that says what a test wants it to say, and knows nothing else. */
export interface ScriptedNode {
  readonly url: string
  /** Gives an endpoint its answer, from now on. */
  readonly answer: (endpoint: string, answer: Scripted) => void
  /** How many questions there were. */
  readonly asked: () => number
}

/** Starts such a node until the scope closes. */
export const scriptedNode = Effect.gen(function* () {
  const answers = new Map<string, Scripted>()
  let asked = 0
  const port = yield* HttpListener.listen(0, ({ answer, body, path }) => {
    asked += 1
    const scripted = answers.get(path.split("/").at(-1) ?? "")
    return scripted === undefined
      ? answer(404, "")
      : answer(200, JSON.stringify(scripted(body === "" ? {} : JSON.parse(body))))
  })
  const node: ScriptedNode = {
    url: `http://127.0.0.1:${port}`,
    answer: (endpoint, scripted) => void answers.set(endpoint, scripted),
    asked: () => asked
  }
  return node
})
