import { type Contract, type DocumentedResponse, mediaTypeOf, type Operation } from "../contract/Contract.ts"
import type { SchemaCheck } from "../contract/schemaChecks.ts"
import { headerOf } from "../generate/Draft.ts"
import type { Call } from "../call/Call.ts"
import type { Answer, Silence } from "../wire/sendBytes.ts"

/** Finds what is wrong with an answer: nothing, or a sentence each. */
export type AnswerJudge = (call: Call, answer: Answer | Silence) => ReadonlyArray<string>

/** What an error may be where no operation is asked for. */
const withoutOperation: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 413, 415, 422, 429])

/** Headers that say something of the contract: where one is sent, it has to be documented. */
const ofContract: ReadonlySet<string> = new Set([
  ...["ratelimit", "ratelimit-policy", "retry-after", "www-authenticate", "accept-signature", "idempotency-replayed"]
])

/** The headers that a status never comes without. */
const required: Readonly<Record<number, ReadonlyArray<string>>> = {
  401: ["www-authenticate"],
  429: ["retry-after"],
  503: ["retry-after"]
}

const echoable = /^[\x21-\x7e]{1,128}$/u

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const codeOf = (body: unknown): string | undefined => {
  const error = typeof body === "object" && body !== null ? Reflect.get(body, "error") : undefined
  const code = typeof error === "object" && error !== null ? Reflect.get(error, "code") : undefined
  return typeof code === "string" ? code : undefined
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`)

const matcherOf = ({ path }: Operation) =>
  new RegExp(
    `^${path
      .split(/\{\w+\}/u)
      .map(escaped)
      .join("[^/]+")}$`,
    "u"
  )

const headerFindings = (answer: Answer, documented: DocumentedResponse): ReadonlyArray<string> => [
  ...[...answer.headers.keys()]
    .filter((name) => ofContract.has(name) && !documented.headers.has(name))
    .map((name) => `the header ${name} is not documented for ${answer.status}`),
  ...(required[answer.status] ?? [])
    .filter((name) => !answer.headers.has(name))
    .map((name) => `${answer.status} came without ${name}`),
  ...(answer.status < 300 && documented.headers.has("ratelimit") && !answer.headers.has("ratelimit")
    ? ["a success came without RateLimit"]
    : [])
]

/** The judge of single answers by a contract. */
export const makeAnswerJudge = (contract: Contract, check: SchemaCheck): AnswerJudge => {
  const matchers = contract.operations.map((operation) => ({ operation, matcher: matcherOf(operation) }))
  const found = (method: string, target: string) => {
    // a target may be a whole URL (RFC 9112, section 3.2.2), and a fragment ends it
    const path = target.replace(/^https?:\/\/[^/]*/u, "").replace(/#.*$/u, "")
    const asked = method === "HEAD" ? "GET" : method
    return matchers.find(({ matcher, operation }) => operation.method === asked && matcher.test(path))?.operation
  }

  const bodyFindings = (answer: Answer, documented: DocumentedResponse): ReadonlyArray<string> => {
    const body = parsed(answer.body)
    const problem = documented.schema === null ? undefined : check(documented.schema, body)
    const code = codeOf(body)
    return [
      ...(documented.types.size > 0 && !documented.types.has(mediaTypeOf(answer.headers.get("content-type") ?? ""))
        ? [`the type is ${answer.headers.get("content-type") ?? "none"}`]
        : []),
      ...(problem === undefined ? [] : [`the body is not as documented: ${problem}`]),
      ...(answer.status >= 400 && !documented.codes.has(code ?? "")
        ? [`the code ${code ?? "(none)"} is not documented for ${answer.status}`]
        : [])
    ]
  }

  const operationFindings = (operation: Operation, call: Call, answer: Answer): ReadonlyArray<string> => {
    const documented = operation.responses.get(String(answer.status))
    if (documented === undefined) return [`${answer.status} is not documented for ${operation.name}`]
    return [
      ...headerFindings(answer, documented),
      ...(call.draft.method === "HEAD" ? [] : bodyFindings(answer, documented))
    ]
  }

  const strayFindings = (call: Call, answer: Answer): ReadonlyArray<string> => {
    if (!withoutOperation.has(answer.status)) return [`${answer.status} where no operation was asked for`]
    const error = { $ref: "#/components/schemas/Error" }
    const problem = call.draft.method === "HEAD" ? undefined : check(error, parsed(answer.body))
    return problem === undefined ? [] : [`the error is not as documented: ${problem}`]
  }

  return (call, answer) => {
    const { allows, method, path } = call.draft
    if (answer._tag === "Silence") return allows === "transport" ? [] : [`no answer: ${answer.why}`]
    // a key or a provider that cannot be reached in time is documented; how often that may be is judged in the end
    if (answer.status >= 500 && answer.status !== 503) return [`${answer.status}: ${answer.body.slice(0, 300)}`]
    const operation = found(method, path)
    const strays = strayFindings(call, answer)
    const asked = operation === undefined ? strays : operationFindings(operation, call, answer)
    // what is no whole request may be refused as that, or as the operation that it looks like
    const isRefused = allows !== "documented" && answer.status >= 400 && strays.length === 0
    const requestId = headerOf(call.draft, "x-request-id") ?? ""
    const echoed = answer.headers.get("x-request-id")
    return [
      ...(echoed === undefined ? ["there is no X-Request-Id"] : []),
      ...(allows === "documented" && echoable.test(requestId) && echoed !== requestId
        ? [`X-Request-Id is ${echoed ?? ""}`]
        : []),
      ...(call.stranger && answer.status < 300 ? ["a record of another tenant was answered with"] : []),
      ...(isRefused ? [] : asked)
    ]
  }
}
