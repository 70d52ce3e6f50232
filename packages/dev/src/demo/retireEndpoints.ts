import type { OperatorClient } from "@bursar/client/effect"
import { Effect } from "effect"
import { inboxPath } from "./Inbox.ts"
import { SceneFailed } from "./SceneFailed.ts"

const failed = ({ message }: { readonly message: string }) =>
  new SceneFailed({ message: `the endpoints of earlier stories cannot be switched off: ${message}` })

/** Switches off the endpoints of stories that were told: nobody listens there any more. */
export const retireEndpoints = (operator: OperatorClient, tenantId: string): Effect.Effect<void, SceneFailed> =>
  Effect.gen(function* () {
    const params = { tenant_id: tenantId }
    const { webhooks } = yield* operator.webhooks.list({ params })
    for (const { enabled, id, url } of webhooks) {
      if (enabled && url.endsWith(inboxPath)) {
        yield* operator.webhooks.disable({ params: { ...params, webhook_id: id } })
      }
    }
  }).pipe(Effect.mapError(failed))
