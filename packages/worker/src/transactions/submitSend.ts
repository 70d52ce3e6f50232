import type { Command } from "@bursar/core/engine/Command"
import { fenced } from "@bursar/core/engine/fenced"
import { Writer } from "@bursar/core/engine/Writer"
import { Fenced } from "@bursar/core/port/Leadership"
import { StorageError } from "@bursar/core/engine/StorageError"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { Send } from "./Send.ts"

/**
 * Submits a command of a sender. Null where it was made from what is no longer so (`stale`): what it was about is read again by
 * the next pass. `Fenced` says that another process sends by now. Other refusals are bugs.
 */
export const submitSend = <A>(
  { fence }: Send,
  tenantId: TenantId,
  command: Command<A>
): Effect.Effect<A | null, Fenced | StorageError, Writer> =>
  Writer.pipe(
    Effect.flatMap((writer) => writer.submit<A | null>(tenantId, fenced(fence, command))),
    Effect.catchTags({
      Refusal: (refusal): Effect.Effect<null, Fenced> => {
        if (refusal.code === "fenced") return Effect.fail(new Fenced({ name: fence.name }))
        if (refusal.code === "stale")
          return Effect.as(
            Effect.annotateLogs(Effect.logInfo("command.stale"), { command: command.name, detail: refusal.message }),
            null
          )
        return Effect.die(refusal)
      },
      TenantUnknown: (cause) =>
        Effect.fail(new StorageError({ doing: `${command.name} for the unknown tenant ${tenantId}`, cause })),
      Overloaded: (cause) =>
        Effect.fail(new StorageError({ doing: `${command.name}: the queue of tenant ${tenantId} is full`, cause }))
    })
  )
