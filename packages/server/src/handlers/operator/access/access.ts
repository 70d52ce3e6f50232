import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { holdsRole, Operator } from "@bursar/api/operator/Operator"
import type { BrowserSession, KnownOperatorList } from "@bursar/api/operator/OperatorAccess"
import { toIso } from "@bursar/core/base/Timestamp"
import { type OperatorPass, OperatorSessions } from "@bursar/core/port/OperatorSessions"
import { Clock, Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig, type ServerSettings } from "../../../config/ServerConfig.ts"
import { CurrentSession } from "../../../identity/Sessions.ts"
import { noteChanges } from "../../../middleware/actionChanges.ts"
import { checking } from "../../../middleware/checking.ts"
import { operatorOfPass } from "../../../middleware/operatorPass.ts"
import { isoOrNull } from "../../../wire/moment.ts"

const knownOperators = ({ operators = [], operatorToken, signIn = null }: ServerSettings) => {
  const byToken = operators.map(({ expiresAt, name, role }) => ({
    name,
    role,
    credential: "token" as const,
    expires_at: isoOrNull(expiresAt)
  }))
  const bySignIn = (signIn?.operators ?? []).map(({ name, role }) => ({
    name,
    role,
    credential: "openid_connect" as const,
    expires_at: null
  }))
  const all = [...byToken, ...bySignIn].toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const answer: typeof KnownOperatorList.Type = {
    operators: all,
    shared_token: operatorToken !== null && operators.length === 0 && signIn === null
  }
  return answer
}

/** Who may use the operator interface, and whose browsers are signed in. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "access",
  Effect.fnUntraced(function* (handlers) {
    const settings = yield* ServerConfig
    const passes = yield* OperatorSessions

    /** A pass that lets nobody in any more is no session, whatever the database says. */
    const shown = (pass: OperatorPass, now: number, own: string | undefined): ReadonlyArray<BrowserSession> => {
      const operator = operatorOfPass(settings, pass, { kind: "SESSION", now })
      if (Result.isFailure(operator)) return []
      const { credential, expiresAt, name, role } = operator.success
      const { createdAt, digest } = pass
      return [
        {
          id: digest,
          operator: name,
          role,
          credential,
          is_own: digest === own,
          created_at: toIso(createdAt),
          expires_at: toIso(expiresAt ?? pass.expiresAt)
        }
      ]
    }

    const visible = Effect.gen(function* () {
      const { name, role } = yield* Operator
      const own = yield* CurrentSession
      const now = yield* Clock.currentTimeMillis
      const all = yield* checking(passes.open(now))
      return all
        .flatMap((pass) => shown(pass, now, own?.digest))
        .filter(({ operator }) => operator === name || holdsRole(role, "admin"))
    })

    return handlers.handleAll({
      operators: () => Effect.succeed(knownOperators(settings)),
      sessions: () => Effect.map(visible, (sessions) => ({ sessions })),
      endSession: {
        handler: Effect.fnUntraced(function* ({ params: { session_id: id } }) {
          const before = yield* visible
          const session = before.find((one) => one.id === id)
          if (session === undefined) return yield* apiError("not_found")
          yield* checking(passes.take(id, "SESSION"))
          yield* noteChanges([
            { record: "Session", key: id, before: { operator: session.operator }, after: { isOver: true } }
          ])
          return { sessions: before.filter((one) => one.id !== id) }
        }),
        options: { uninterruptible: true }
      }
    })
  })
)
