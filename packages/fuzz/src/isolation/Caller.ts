import { Effect } from "effect"
import type { Contract, Operation } from "../contract/Contract.ts"
import { type Draft, headerOf, toBytes, withHeader } from "../generate/Draft.ts"
import { NotReady } from "../service/ask.ts"
import type { Partner } from "../service/people.ts"
import { type Answer, sendBytes } from "../wire/sendBytes.ts"

/** What is asked of an operation. */
export interface Request {
  readonly operation: Operation
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly idempotencyKey?: string
}

/** An answer, its body read. */
export interface Reply extends Answer {
  // each asker looks at what it expects of the contract
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any
}

/** Calls the service as a tenant does: every call with another of its keys, signed where it has to be. */
export interface Caller {
  readonly partner: Partner
  readonly call: (request: Request) => Effect.Effect<Reply, NotReady>
}

const patienceMs = 30_000

/** The operation of a name. */
export const operationNamed = ({ operations }: Contract, name: string): Operation => {
  const found = operations.find((one) => one.name === name)
  if (found === undefined) throw new Error(`the contract has no ${name}`)
  return found
}

const draftOf = (
  url: string,
  key: string,
  { body, idempotencyKey, operation, path = {}, query = {} }: Request
): Draft => ({
  method: operation.method,
  path: operation.path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => encodeURIComponent(path[name] ?? "")),
  query: new URLSearchParams(query).toString(),
  headers: [
    ["host", new URL(url).host],
    ["authorization", `Bearer ${key}`],
    ["connection", "close"],
    ...(operation.method === "POST" ? ([["idempotency-key", idempotencyKey ?? crypto.randomUUID()]] as const) : []),
    ...(body === undefined ? [] : ([["content-type", "application/json"]] as const))
  ],
  body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
  framing: "length",
  version: "HTTP/1.1",
  allows: "documented"
})

const keyOf = ({ keys, signingKeys }: Partner, { operation }: Request, calls: number): string => {
  const fitting = operation.signed ? signingKeys : keys
  return fitting[calls % fitting.length] ?? ""
}

/** A caller for a tenant of a service. */
export const callerOf = (url: string, partner: Partner): Caller => {
  let calls = 0
  const call = Effect.fnUntraced(function* (request: Request) {
    calls += 1
    let draft = draftOf(url, keyOf(partner, request, calls), request)
    if (request.operation.signed) {
      const headers = yield* partner.signer.sign({
        method: draft.method,
        authority: headerOf(draft, "host") ?? "",
        path: draft.path,
        idempotencyKey: headerOf(draft, "idempotency-key") ?? "",
        contentType: "application/json",
        body: draft.body ?? new Uint8Array()
      })
      for (const [name, value] of Object.entries(headers)) draft = withHeader(draft, name, value)
    }
    const answer = yield* sendBytes({ url, from: "127.0.0.1", bytes: toBytes(draft), patienceMs })
    if (answer._tag === "Silence") {
      return yield* new NotReady({ message: `${request.operation.name}: ${answer.why}` })
    }
    const reply: Reply = { ...answer, json: answer.body === "" ? undefined : JSON.parse(answer.body) }
    return reply
  })
  return { partner, call }
}

/** The reply of a call that has to succeed. */
export const succeed = (caller: Caller, request: Request): Effect.Effect<Reply, NotReady> =>
  Effect.filterOrFail(
    caller.call(request),
    ({ status }) => status < 300,
    ({ body, status }) => new NotReady({ message: `${request.operation.name}: ${status} ${body}` })
  )
