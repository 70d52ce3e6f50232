import type { Effect } from "effect"
import type { Exchange } from "@bursar/simulator-kit/HttpListener"
import { inHex, type Json, stringify } from "./json.ts"
import { errorJson } from "./nodeApi.ts"
import { broadcasts, type TronFault } from "./TronFault.ts"

/** What a gateway in trouble says instead of JSON. */
const notJson = "<html><body>502 Bad Gateway</body></html>"

/** What java-tron answers where it knows nothing. */
export const emptyAnswer = (endpoint: string): Json => (endpoint === "gettransactioninfobyblocknum" ? [] : {})

/** What a node answers that refuses a question or a transaction. */
export const refusal = (endpoint: string, { error_code, error_message }: TronFault): Json =>
  broadcasts.has(endpoint)
    ? { code: error_code ?? "SERVER_BUSY", message: inHex(error_message ?? "Server busy.") }
    : errorJson("java.lang.RuntimeException", error_message ?? "refused")

/** Every field replaced by a value of another type. */
const wrongTypes = (value: Json): Json => {
  if (Array.isArray(value) || typeof value !== "object" || value === null) return { unexpected: true }
  return Object.fromEntries(Object.keys(value).map((key) => [key, "unexpected"]))
}

/** Answers with a value that was spoilt on its way. */
export const spoil = (
  exchange: Exchange,
  style: NonNullable<TronFault["garbage"]>,
  value: Json
): Effect.Effect<void> => {
  if (style === "truncated") return exchange.truncate(stringify(value))
  return exchange.answer(200, style === "invalid_json" ? notJson : stringify(wrongTypes(value)))
}
