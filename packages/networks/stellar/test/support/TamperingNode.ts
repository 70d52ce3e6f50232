import * as HttpListener from "@bursar/simulator-kit/HttpListener"
import type { StellarReader, StellarReaderOptions } from "@bursar/stellar"
import { Context, Effect, Layer, Redacted } from "effect"
import { World } from "./World.ts"

/** An answer of Horizon, or a record in one. */
export type Json = Readonly<Record<string, unknown>>

/** The records of a page. */
export const recordsIn = (answer: Json): ReadonlyArray<Json> =>
  // Horizon's pages have this form.
  (answer["_embedded"] as { readonly records: ReadonlyArray<Json> }).records

/** An operation that stands elsewhere in history. */
export const moved = (record: Json, by: bigint): Json => ({ ...record, id: String(BigInt(String(record["id"])) + by) })

/** The same without a field. */
export const without = (record: Json, field: string): Json =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== field))

/** Something that need not be an answer of Horizon. */
export class Text {
  readonly status: number
  readonly text: string
  constructor(status: number, text: string) {
    this.status = status
    this.text = text
  }
}

/** No answer at all. */
export const never = new Text(0, "")

/** What takes the place of an answer; the second argument is the query it was asked with. */
export type Instead = (answer: Json, query: URLSearchParams) => unknown

/** Changes each record of a page. */
export const records =
  (change: (record: Json, index: number) => unknown): Instead =>
  (answer) => ({
    ...answer,
    _embedded: { records: recordsIn(answer).flatMap(change) }
  })

/** A node between the reader and the local network, which says what a test wants it to say. */
export class TamperingNode extends Context.Service<
  TamperingNode,
  {
    readonly chain: StellarReader
    readonly reader: (options: Partial<StellarReaderOptions>) => StellarReader
    readonly url: string
    /** Changes the answers to paths of a shape, from now on. */
    readonly change: (path: RegExp, instead: Instead) => void
    /** Lets all answers be as they are. */
    readonly honest: () => void
    /** The paths and queries that were asked for, and the headers of the last. */
    readonly asked: () => ReadonlyArray<string>
    readonly headers: () => HttpListener.Exchange["headers"]
  }
>()("@bursar/stellar/test/TamperingNode") {
  static readonly layer = Layer.effect(
    TamperingNode,
    Effect.gen(function* () {
      const { devnet, reader: readerOf } = yield* World
      const changes: Array<readonly [RegExp, Instead]> = []
      const asked: Array<string> = []
      let headers: HttpListener.Exchange["headers"] = {}
      const port = yield* HttpListener.listen(0, (exchange) =>
        Effect.gen(function* () {
          headers = exchange.headers
          asked.push(`${exchange.path}?${exchange.query}`)
          const { status, text } = yield* Effect.promise(async () => {
            const response = await fetch(`${devnet.horizonUrl}${exchange.path}?${exchange.query}`, {
              method: exchange.method,
              ...(exchange.method === "POST" ? { body: exchange.body } : {})
            })
            return { status: response.status, text: await response.text() }
          })
          const [, instead] = changes.findLast(([path]) => path.test(exchange.path)) ?? []
          if (instead === undefined) return yield* exchange.answer(status, text)
          // Horizon answers objects of JSON.
          const answer = instead(JSON.parse(text) as Json, exchange.query)
          if (answer === never) return yield* Effect.never
          if (answer instanceof Text) return yield* exchange.answer(answer.status, answer.text)
          return yield* exchange.answer(status, JSON.stringify(answer))
        })
      )
      const url = `http://127.0.0.1:${port}`
      const reader = (options: Partial<StellarReaderOptions>) =>
        readerOf({ horizonUrl: Redacted.make(url), timeoutMs: 2_000, ...options })
      return TamperingNode.of({
        chain: reader({}),
        reader,
        url,
        change: (path, instead) => changes.push([path, instead]),
        honest: () => {
          changes.length = 0
        },
        asked: () => asked,
        headers: () => headers
      })
    })
  ).pipe(Layer.provideMerge(World.layer))
}
