import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { Refusal } from "../base/Refusal.ts"
import type { EventKind } from "../event/Event.ts"
import { WebhookEndpoint } from "./WebhookEndpoint.ts"
import { readRecord, putRecord } from "../engine/Records.ts"

const change = ({
  decide,
  id,
  name
}: {
  readonly name: string
  readonly id: string
  readonly decide: (endpoint: WebhookEndpoint) => WebhookEndpoint | Refusal
}): Command<WebhookEndpoint> => ({
  name,
  reads: [readRecord(WebhookEndpoint, id)],
  decide: (view) => {
    const endpoint = view.get(WebhookEndpoint, id)
    if (endpoint === undefined)
      return Result.fail(new Refusal({ code: "not_found", message: "No such webhook endpoint." }))
    const changed = decide(endpoint)
    return changed instanceof Refusal
      ? Result.fail(changed)
      : Result.succeed({ changes: [putRecord(WebhookEndpoint, changed)], reply: changed })
  }
})

/** Adds an endpoint that gets the events from now on. `secret` is sealed. The URL has been checked by whoever sends this. */
export const addEndpoint = ({
  kinds,
  secret,
  url
}: {
  readonly url: string
  readonly kinds: ReadonlyArray<EventKind> | null
  readonly secret: string
}): Command<WebhookEndpoint> => ({
  name: "AddEndpoint",
  reads: [],
  decide: (view) => {
    const endpoint: WebhookEndpoint = {
      id: view.newId(),
      tenantId: view.tenant.id,
      url,
      kinds,
      secret,
      nextSecret: null,
      enabled: true,
      disabledReason: null,
      createdAt: view.now
    }
    return Result.succeed({ changes: [putRecord(WebhookEndpoint, endpoint)], reply: endpoint })
  }
})

/** Switches an endpoint off, saying why. `not_found` where the tenant has no such endpoint. */
export const disableEndpoint = (id: string, reason: string): Command<WebhookEndpoint> =>
  change({
    name: "DisableEndpoint",
    id,
    decide: (endpoint) => ({ ...endpoint, enabled: false, disabledReason: reason })
  })

/** Switches an endpoint on again. `not_found` where the tenant has no such endpoint. */
export const enableEndpoint = (id: string): Command<WebhookEndpoint> =>
  change({ name: "EnableEndpoint", id, decide: (endpoint) => ({ ...endpoint, enabled: true, disabledReason: null }) })

/**
 * Stages a new sealed secret beside the one that signs. `state_conflict` where one is staged already, unless that is to be replaced: somebody else may
 * have given it to the partner, and would activate this one.
 */
export const stageSecret = (
  id: string,
  secret: string,
  staged: "keep" | "replace" = "keep"
): Command<WebhookEndpoint> =>
  change({
    name: "StageSecret",
    id,
    decide: (endpoint) =>
      endpoint.nextSecret !== null && staged === "keep"
        ? new Refusal({
            code: "state_conflict",
            message: "A new secret waits to be activated: activate it, or replace it if nobody has it any more."
          })
        : { ...endpoint, nextSecret: secret }
  })

/** The same secrets sealed anew; where they have changed since `before` was read, nothing does. */
export const resealSecrets = (
  before: WebhookEndpoint,
  after: Pick<WebhookEndpoint, "secret" | "nextSecret">
): Command<WebhookEndpoint> =>
  change({
    name: "ResealSecrets",
    id: before.id,
    decide: (endpoint) =>
      endpoint.secret === before.secret && endpoint.nextSecret === before.nextSecret
        ? { ...endpoint, ...after }
        : endpoint
  })

/**
 * Makes the staged secret the one that signs. `state_conflict` where none is staged, or another than was `seen`, which is that secret as it is sealed:
 * somebody has replaced it since, and the partner does not know that one.
 */
export const activateSecret = (id: string, seen?: string): Command<WebhookEndpoint> =>
  change({
    name: "ActivateSecret",
    id,
    decide: (endpoint) => {
      const { nextSecret: staged } = endpoint
      if (staged === null)
        return new Refusal({ code: "state_conflict", message: "There is no new secret; rotate first." })
      if (seen !== undefined && seen !== staged)
        return new Refusal({ code: "state_conflict", message: "Another new secret waits by now: look again." })
      return { ...endpoint, secret: staged, nextSecret: null }
    }
  })
