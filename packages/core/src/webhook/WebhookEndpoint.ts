import type { Timestamp } from "../base/Timestamp.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import type { EventKind } from "../event/Event.ts"
import { defineRecord } from "../engine/Records.ts"

/** A URL of a tenant to which events are delivered. Secrets are sealed: only the worker opens them, to sign. */
export interface WebhookEndpoint {
  readonly id: string
  readonly tenantId: TenantId
  readonly url: string
  /** The kinds it wants; null for all. */
  readonly kinds: ReadonlyArray<EventKind> | null
  /** The sealed secret that signs now. */
  readonly secret: string
  /** A sealed secret that waits to be activated, if a rotation is under way. */
  readonly nextSecret: string | null
  readonly enabled: boolean
  /** Why it was switched off, if it was. */
  readonly disabledReason: string | null
  readonly createdAt: Timestamp
}

/** Endpoints by their ids. */
export const WebhookEndpoint = defineRecord<WebhookEndpoint>({ name: "WebhookEndpoint", key: ({ id }) => id })
