import * as HttpListener from "@bursar/simulator-kit/HttpListener"
import { Context, Effect, Layer, Redacted } from "effect"
import type { TronReader, TronReaderOptions } from "@bursar/tron"
import { World } from "./World.ts"

/** An answer of the node. */
export type Json = Readonly<Record<string, unknown>>

/** What takes the place of an answer: another one, a text with its status, or silence. */
export type Instead = (answer: unknown) => unknown

/** Something that need not be an answer of java-tron. */
export class Text {
  readonly text: string
  readonly status: number
  constructor(text: string, status = 200) {
    this.text = text
    this.status = status
  }
}

/** No answer at all. */
export const never = new Text("", 0)

/** A node between a client and the local network, which says what a test wants it to say. */
export interface Tampering {
  readonly nodeUrl: Redacted.Redacted<string>
  /** Changes the answers of an endpoint, from now on. */
  readonly change: (endpoint: string, instead: Instead) => void
  /** Lets all answers be as they are. */
  readonly honest: () => void
  /** What the client has sent last. */
  readonly headers: () => HttpListener.Exchange["headers"]
}

/** Starts such a node before another one, until the scope closes. */
export const tamper = Effect.fnUntraced(function* (behind: string) {
  const changes = new Map<string, Instead>()
  let headers: HttpListener.Exchange["headers"] = {}
  const port = yield* HttpListener.listen(0, (exchange) =>
    Effect.gen(function* () {
      headers = exchange.headers
      const text = yield* Effect.promise(async () => {
        const response = await fetch(`${behind}${exchange.path}`, { method: "POST", body: exchange.body })
        return response.text()
      })
      const endpoint = exchange.path.split("/").at(-1) ?? ""
      const instead = changes.get(endpoint)
      if (instead === undefined) return yield* exchange.answer(200, text)
      const answer: unknown = instead(JSON.parse(text))
      if (answer === never) return yield* Effect.never
      if (answer instanceof Text) return yield* exchange.answer(answer.status, answer.text)
      return yield* exchange.answer(200, JSON.stringify(answer))
    })
  )
  const tampering: Tampering = {
    nodeUrl: Redacted.make(`http://127.0.0.1:${port}`),
    change: (endpoint, instead) => changes.set(endpoint, instead),
    honest: () => changes.clear(),
    headers: () => headers
  }
  return tampering
})

/** A reader whose node is tampered with. */
export class TamperingNode extends Context.Service<
  TamperingNode,
  Omit<Tampering, "nodeUrl"> & {
    readonly chain: TronReader
    readonly reader: (options: Partial<TronReaderOptions>) => TronReader
  }
>()("@bursar/tron/test/TamperingNode") {
  static readonly layer = Layer.effect(
    TamperingNode,
    Effect.gen(function* () {
      const { devnet, reader: readerOf } = yield* World
      const { nodeUrl, ...tampering } = yield* tamper(devnet.nodeUrl)
      const reader = (options: Partial<TronReaderOptions>) => readerOf({ nodeUrl, ...options })
      return TamperingNode.of({ chain: reader({}), reader, ...tampering })
    })
  ).pipe(Layer.provideMerge(World.layer))
}
