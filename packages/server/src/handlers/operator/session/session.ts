import { OperatorApi } from "@bursar/api/OperatorApi"
import { Operator } from "@bursar/api/operator/Operator"
import { toIso } from "@bursar/core/base/Timestamp"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentSession, Sessions } from "../../../identity/Sessions.ts"
import { noteChanges } from "../../../middleware/actionChanges.ts"

/** The caller's own session. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "session",
  Effect.fnUntraced(function* (handlers) {
    const sessions = yield* Sessions
    return handlers.handleAll({
      show: () =>
        Effect.map(Operator, ({ credential, expiresAt, name, role }) => ({
          name,
          role,
          credential,
          expires_at: expiresAt === null ? null : toIso(expiresAt)
        })),
      end: () =>
        Effect.gen(function* () {
          const session = yield* CurrentSession
          if (session === null) return { ended: false }
          sessions.end(session)
          yield* noteChanges([{ record: "Session", key: session.digest, before: null, after: { isOver: true } }])
          return { ended: true }
        })
    })
  })
)
