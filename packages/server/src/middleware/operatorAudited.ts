import { logStorageError } from "@bursar/core/engine/StorageError"
import type { ErrorCode } from "@bursar/api/errors/Catalogue"
import { Catalogue, entryOf } from "@bursar/api/errors/Catalogue"
import { ErrorBody } from "@bursar/api/errors/ErrorBody"
import { Operator } from "@bursar/api/operator/Operator"
import { OperatorAudited } from "@bursar/api/operator/OperatorAudited"
import type { OperatorAction } from "@bursar/core/audit/AuditRecord"
import { namedIds } from "@bursar/core/audit/namedIds"
import { RandomBytes, uuidV7 } from "@bursar/core/engine/Ids"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { Cause, Clock, Effect, Exit, Layer, Ref, Schema } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import { type ActionChange, ActionChanges } from "./actionChanges.ts"
import { ActionNotes } from "./actionNotes.ts"
import { valuesText } from "./actionValues.ts"
import { checking } from "./checking.ts"

const isRefusal = Schema.is(ErrorBody)

const isCode = (code: string): code is ErrorCode => code in Catalogue

/** The status that an outcome is answered with; 499 where the client hung up, 500 where a bug stopped it. */
const statusOf = (exit: Exit.Exit<HttpServerResponse.HttpServerResponse, unknown>): number => {
  if (Exit.isSuccess(exit)) return exit.value.status
  if (Cause.hasInterruptsOnly(exit.cause)) return 499
  const error = Cause.squash(exit.cause)
  return isRefusal(error) && isCode(error.error.code) ? entryOf(error.error.code).status : 500
}

const noBody = new Uint8Array()

const textDecoder = new TextDecoder("utf-8", { fatal: true })

/** What bytes say as JSON, however deep; null where they say nothing. */
const jsonIn = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(textDecoder.decode(bytes))
  } catch {
    return null
  }
}

/** The digest of what was asked for, and its values. A body that cannot be read is refused later. */
const askedFor = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const body = yield* Effect.orElseSucceed(Effect.interruptible(request.arrayBuffer), () => noBody.buffer)
  const bytes = new Uint8Array(body)
  return {
    digest: createHash("sha256").update(bytes).digest("hex"),
    request: jsonIn(bytes)
  }
})

/** The action that a request asks for, as it is written down before it is done. */
const actionOf = Effect.fnUntraced(function* (method: string, route: string) {
  const { name, role } = yield* Operator
  const { clientAddress, id } = yield* CurrentRequest
  const randomBytes = yield* RandomBytes
  const { digest, request } = yield* askedFor
  const at = yield* Clock.currentTimeMillis
  const params = Object.entries(yield* HttpRouter.params)
  return {
    actionId: uuidV7(at, randomBytes(10)),
    at,
    operator: name,
    role,
    method,
    route,
    params: namedIds(
      Object.fromEntries(params.flatMap(([param, value]) => (value === undefined ? [] : [[param, value]])))
    ),
    status: null,
    requestId: id,
    address: clientAddress,
    content: { digest, values: valuesText({ request }) }
  } satisfies OperatorAction
})

/** What the handler of an action says of it. */
const makeTelling = Effect.all({
  notes: Ref.make<Readonly<Record<string, string>>>({}),
  changes: Ref.make<ReadonlyArray<ActionChange>>([])
})

/**
 * Writes every request that is not a GET into the chain of operators' actions: before it is done, with what it asks for, so that nothing is
 * done that is not written down; and after, with its outcome, what the handler noted (`noteAction`), and what each record was that it has
 * changed, and is now (`auditedPorts`). Secrets and queries are never written.
 */
export const layer = Layer.effect(
  OperatorAudited,
  Effect.map(OperatorAudit, (audit) =>
    OperatorAudited.of((app, { endpoint }) => {
      if (endpoint.method === "GET") return app
      const begin = Effect.gen(function* () {
        const action = yield* actionOf(endpoint.method, endpoint.path)
        yield* checking(audit.append(action))
        return { action, ...(yield* makeTelling) }
      })
      const end = ({ action, changes, notes }: Effect.Success<typeof begin>, status: number) =>
        Effect.gen(function* () {
          const at = yield* Clock.currentTimeMillis
          const params = { ...action.params, ...(yield* Ref.get(notes)) }
          const { digest } = action.content
          const content = { digest, values: valuesText({ changes: yield* Ref.get(changes) }) }
          yield* audit.append({ ...action, params, at, status, content })
        }).pipe(
          // it has been done: the answer says so, and the record before stands without one after
          Effect.catch((error) => Effect.annotateLogs(logStorageError(error), { action: action.actionId, status }))
        )
      return Effect.acquireUseRelease(
        begin,
        ({ changes, notes }) =>
          app.pipe(Effect.provideService(ActionNotes, notes), Effect.provideService(ActionChanges, changes)),
        (begun, exit) => end(begun, statusOf(exit))
      )
    })
  )
)
