import { Effect } from "effect"
import { IncomingMessage } from "node:http"
import { errorResponse } from "../http/errorResponse.ts"
import { type Gate, pass } from "../http/Step.ts"

/** Of a header that stands twice, node:http takes the first of these, and a proxy may have looked at the other. */
const single: ReadonlySet<string> = new Set(["authorization", "content-type", "host"])

const isRepeated = (rawHeaders: ReadonlyArray<string>): boolean => {
  const seen = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? ""
    if (!single.has(name)) continue
    if (seen.has(name)) return true
    seen.add(name)
  }
  return false
}

/** Refuses a request that says twice who sends it, to whom, or what its body is (RFC 9112, section 3.2; RFC 9110, section 5.3). */
export const singleHeaders: Gate = ({ facts, request: { source } }) =>
  source instanceof IncomingMessage && isRepeated(source.rawHeaders)
    ? Effect.succeed(
        errorResponse("malformed_request", {
          requestId: facts.id,
          message: "Host, Authorization and Content-Type can be given once."
        })
      )
    : pass
