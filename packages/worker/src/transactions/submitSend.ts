import type { Command } from "@bursar/core/engine/Command"
import { fenced } from "@bursar/core/engine/fenced"
import { Writer } from "@bursar/core/engine/Writer"
import { Fenced } from "@bursar/core/port/Leadership"
import { StorageError } from "@bursar/core/engine/StorageError"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { Send } from "./Send.ts"

/** What came of a command that carries an adapter's plan. */
export type Planned<A> =
  | { readonly _tag: "Done"; readonly reply: A }
  /** It was made from what is no longer so: what it was about is read again by the next pass. */
  | { readonly _tag: "Stale" }
  /** The plan cannot be right: the adapter is wrong, and nothing was reserved. */
  | { readonly _tag: "PlanRefused"; readonly detail: string }

/** Submits a command that carries an adapter's plan. A plan that the core refuses is logged. Otherwise as `submitSend`. */
export const submitPlan = <A>(
  { fence, traits: { name: network } }: Send,
  tenantId: TenantId,
  command: Command<A>
): Effect.Effect<Planned<A>, Fenced | StorageError, Writer> =>
  Writer.pipe(
    Effect.flatMap((writer) => writer.submit<A>(tenantId, fenced(fence, command))),
    Effect.map((reply): Planned<A> => ({ _tag: "Done", reply })),
    Effect.catchTags({
      Refusal: (refusal): Effect.Effect<Planned<A>, Fenced> => {
        const { code, message: detail } = refusal
        if (code === "fenced") return Effect.fail(new Fenced({ name: fence.name }))
        if (code === "stale") {
          const stale = Effect.annotateLogs(Effect.logInfo("command.stale"), { command: command.name, detail })
          return Effect.as(stale, { _tag: "Stale" })
        }
        if (code !== "plan_invalid") return Effect.die(refusal)
        const fields = { tenant: tenantId, network, command: command.name, detail }
        return Effect.as(Effect.annotateLogs(Effect.logError("transaction.plan_refused"), fields), {
          _tag: "PlanRefused",
          detail
        })
      },
      TenantUnknown: (cause) =>
        Effect.fail(new StorageError({ doing: `${command.name} for the unknown tenant ${tenantId}`, cause })),
      Overloaded: (cause) =>
        Effect.fail(new StorageError({ doing: `${command.name}: the queue of tenant ${tenantId} is full`, cause }))
    })
  )

/**
 * Submits a command of a sender. Null where it was made from what is no longer so (`stale`): what it was about is read again by
 * the next pass. `Fenced` says that another process sends by now. Other refusals are bugs.
 */
export const submitSend = <A>(
  send: Send,
  tenantId: TenantId,
  command: Command<A>
): Effect.Effect<A | null, Fenced | StorageError, Writer> =>
  Effect.map(submitPlan(send, tenantId, command), (submitted) => (submitted._tag === "Done" ? submitted.reply : null))
