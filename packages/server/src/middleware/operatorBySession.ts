import type { OperatorSessions } from "@bursar/core/port/OperatorSessions"
import { Clock, Effect } from "effect"
import type { ServerSettings } from "../config/ServerConfig.ts"
import { operatorOfPass } from "./operatorPass.ts"
import { hashToken } from "../keys/operatorTokens.ts"
import { checking } from "./checking.ts"

/** Finds out who a browser's session is of. */
export const operatorBySession = Effect.fn("identity.operatorBySession")(function* (
  { passes, settings }: { readonly passes: OperatorSessions["Service"]; readonly settings: ServerSettings },
  secret: string
) {
  const pass = yield* checking(passes.find(hashToken(secret)))
  const now = yield* Clock.currentTimeMillis
  const operator = yield* Effect.fromResult(operatorOfPass(settings, pass, { kind: "SESSION", now }))
  return { operator, session: pass === undefined ? null : { digest: pass.digest, expiresAt: pass.expiresAt } }
})
