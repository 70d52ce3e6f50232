import * as HttpListener from "@bursar/simulator-kit/HttpListener"
import { makeStellarReader, type StellarReaderOptions } from "@bursar/stellar"
import type { JsonValue } from "@bursar/testkit/generators/mutations"
import { Effect, Redacted } from "effect"

/** What a node says of one ledger. */
export interface LedgerSays {
  readonly ledger: JsonValue
  readonly operations: JsonValue
  readonly transactions: JsonValue
  /** By the id of the operation. */
  readonly effects: { readonly [id: string]: JsonValue }
}

/** What a test answers: JSON, or undefined for what Horizon says of nothing. */
export type Script = (path: string, query: URLSearchParams) => unknown

const nothing = { status: 404, title: "Resource Missing" }

/** The path of a request without the sequence or id in it, with that. */
const partsOf = (path: string) => {
  const [, kind = "", id = "", below = "ledger"] = path.split("/")
  return { kind, id, below }
}

/** A script that says the same of whatever ledger it is asked of. */
export const saysOf =
  (said: LedgerSays): Script =>
  (path) => {
    const { below, id, kind } = partsOf(path)
    if (kind === "operations") return below === "effects" ? said.effects?.[id] : undefined
    if (kind !== "ledgers") return undefined
    return below === "ledger" ? said.ledger : below === "operations" ? said.operations : said.transactions
  }

/** A node of a test's own words, which counts what it is asked and how much it has told. */
export const scriptedHorizon = Effect.fnUntraced(function* (options: Omit<StellarReaderOptions, "horizonUrl">) {
  let script: Script = () => undefined
  let status = 200
  let asked = 0
  let bytes = 0
  const port = yield* HttpListener.listen(0, (exchange) => {
    asked++
    const answer = script(exchange.path, exchange.query)
    const text = typeof answer === "string" ? answer : JSON.stringify(answer ?? nothing)
    bytes += text.length
    return exchange.answer(answer === undefined ? 404 : status, text)
  })
  const url = Redacted.make(`http://127.0.0.1:${port}`)
  return {
    url,
    chain: makeStellarReader({ ...options, horizonUrl: url }),
    /** Answers with this from now on; a text as it is. */
    answer: (next: Script, withStatus = 200) => {
      script = next
      status = withStatus
    },
    asked: () => asked,
    bytes: () => bytes
  }
})
