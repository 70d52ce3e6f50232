import type { Command } from "@bursar/core/engine/Command"
import { type Fence, fenced } from "@bursar/core/engine/fenced"
import { inGrantedEnvironment } from "@bursar/core/grant/environmentByGrants"
import { rulingOf } from "@bursar/core/grant/Ruling"
import { Writer } from "@bursar/core/engine/Writer"
import { Fenced } from "@bursar/core/port/Leadership"
import { StorageError } from "@bursar/core/engine/StorageError"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"

/** Submits a command of a leader that sees the tenant in the environment that was granted to it, where one was. */
export const submitInEnvironment = <A>(
  fence: Fence,
  tenantId: TenantId,
  command: Command<A>
): Effect.Effect<A, Fenced | StorageError, Writer> =>
  Effect.flatMap(rulingOf(tenantId), (ruling) => submitFenced(fence, tenantId, inGrantedEnvironment(ruling, command)))

/**
 * Submits a command of a leader. `Fenced` says that another process leads by now; a full queue and a tenant that the
 * storage does not find are StorageErrors, after which the same may be sent again. Other refusals are bugs: the commands
 * of a watcher state facts.
 */
export const submitFenced = <A>(
  fence: Fence,
  tenantId: TenantId,
  command: Command<A>
): Effect.Effect<A, Fenced | StorageError, Writer> =>
  Writer.pipe(
    Effect.flatMap((writer) => writer.submit(tenantId, fenced(fence, command))),
    Effect.catchTags({
      Refusal: (refusal) =>
        refusal.code === "fenced" ? Effect.fail(new Fenced({ name: fence.name })) : Effect.die(refusal),
      TenantUnknown: (cause) =>
        Effect.fail(new StorageError({ doing: `${command.name} for the unknown tenant ${tenantId}`, cause })),
      Overloaded: (cause) =>
        Effect.fail(new StorageError({ doing: `${command.name}: the queue of tenant ${tenantId} is full`, cause }))
    })
  )
