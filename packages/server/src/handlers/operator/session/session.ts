import { OperatorApi } from "@bursar/api/OperatorApi"
import { Operator } from "@bursar/api/operator/Operator"
import { toIso } from "@bursar/core/base/Timestamp"
import { OperatorSessions } from "@bursar/core/port/OperatorSessions"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { makePass } from "../../../middleware/operatorPass.ts"
import { CurrentSession, Sessions } from "../../../identity/Sessions.ts"
import { noteChanges } from "../../../middleware/actionChanges.ts"
import { checking } from "../../../middleware/checking.ts"
import { sessionToWire } from "./toWire.ts"

/** The caller's own session. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "session",
  Effect.fnUntraced(function* (handlers) {
    const settings = yield* ServerConfig
    const sessions = yield* Sessions
    const passes = yield* OperatorSessions
    return handlers.handleAll({
      show: () => Effect.map(Operator, sessionToWire),
      link: () =>
        Effect.gen(function* () {
          const operator = yield* Operator
          const now = yield* Clock.currentTimeMillis
          const { pass, secret } = yield* Effect.fromResult(makePass(settings, { kind: "LINK", now, operator }))
          yield* checking(passes.add(pass))
          yield* noteChanges([{ record: "Link", key: pass.digest, before: null, after: { expiresAt: pass.expiresAt } }])
          return { code: secret, expires_at: toIso(pass.expiresAt) }
        }),
      end: () =>
        Effect.gen(function* () {
          const { name } = yield* Operator
          const session = yield* CurrentSession
          yield* checking(passes.endAll(name))
          if (session === null) return { ended: false }
          sessions.end(session)
          yield* noteChanges([{ record: "Session", key: session.digest, before: null, after: { isOver: true } }])
          return { ended: true }
        })
    })
  })
)
