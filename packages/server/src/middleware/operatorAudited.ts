import { logStorageError } from "@bursar/core/engine/StorageError"
import type { ErrorCode } from "@bursar/api/errors/Catalogue"
import { Catalogue, entryOf } from "@bursar/api/errors/Catalogue"
import { ErrorBody } from "@bursar/api/errors/ErrorBody"
import { Operator } from "@bursar/api/operator/Operator"
import { OperatorAudited } from "@bursar/api/operator/OperatorAudited"
import type { OperatorAction } from "@bursar/core/audit/AuditRecord"
import { RandomBytes, uuidV7 } from "@bursar/core/engine/Ids"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { Cause, Clock, Effect, Exit, Layer, Ref, Schema } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import { ActionNotes } from "./actionNotes.ts"
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

/**
 * Writes every request that is not a GET into the chain of operators' actions: before it is done, so that nothing is done that is
 * not written down, and after, with its outcome and what the handler noted (`noteAction`). Bodies and queries are never written.
 */
export const layer = Layer.effect(
  OperatorAudited,
  Effect.map(OperatorAudit, (audit) =>
    OperatorAudited.of((app, { endpoint }) => {
      if (endpoint.method === "GET") return app
      const begin = Effect.gen(function* () {
        const { name, role } = yield* Operator
        const { clientAddress, id } = yield* CurrentRequest
        const randomBytes = yield* RandomBytes
        const at = yield* Clock.currentTimeMillis
        const params = Object.entries(yield* HttpRouter.params)
        const action: OperatorAction = {
          actionId: uuidV7(at, randomBytes(10)),
          at,
          operator: name,
          role,
          method: endpoint.method,
          route: endpoint.path,
          params: Object.fromEntries(params.flatMap(([param, value]) => (value === undefined ? [] : [[param, value]]))),
          status: null,
          requestId: id,
          address: clientAddress
        }
        yield* checking(audit.append(action))
        return action
      })
      const end = (action: OperatorAction, notes: Ref.Ref<Readonly<Record<string, string>>>, status: number) =>
        Effect.gen(function* () {
          const at = yield* Clock.currentTimeMillis
          const params = { ...action.params, ...(yield* Ref.get(notes)) }
          yield* audit.append({ ...action, params, at, status })
        }).pipe(
          // it has been done: the answer says so, and the record before stands without one after
          Effect.catch((error) => Effect.annotateLogs(logStorageError(error), { action: action.actionId, status }))
        )
      return Effect.acquireUseRelease(
        Effect.all([begin, Ref.make<Readonly<Record<string, string>>>({})]),
        ([, notes]) => Effect.provideService(app, ActionNotes, notes),
        ([action, notes], exit) => end(action, notes, statusOf(exit))
      )
    })
  )
)
