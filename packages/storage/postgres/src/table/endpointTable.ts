import type { WebhookEndpoint } from "@bursar/core/event/WebhookEndpoint"
import { TenantId } from "@bursar/core/tenant/Tenant"
import * as Cell from "../internal/cells.ts"
import { bool, json, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { column, type Table } from "../internal/Table.ts"

/** Webhook endpoints. How far delivery has come is not part of the record. */
export const endpointTable: Table<WebhookEndpoint> = {
  name: "webhook_endpoint",
  key: ["endpoint_id"],
  columns: [
    column("endpoint_id", uuid, ({ id }) => id),
    column("url", text, ({ url }) => url),
    column("kinds", json, ({ kinds }) => kinds),
    column("secret", text, ({ secret }) => secret),
    column("next_secret", text, ({ nextSecret }) => nextSecret),
    column("enabled", bool, ({ enabled }) => enabled),
    column("disabled_reason", text, ({ disabledReason }) => disabledReason),
    column("created_at", timestamptz, ({ createdAt }) => createdAt)
  ],
  read: (row) => ({
    id: Cell.text(row.endpoint_id),
    tenantId: TenantId(Cell.text(row.tenant_id)),
    url: Cell.text(row.url),
    kinds: Cell.json(row.kinds),
    secret: Cell.text(row.secret),
    nextSecret: Cell.textOrNull(row.next_secret),
    enabled: Cell.flag(row.enabled),
    disabledReason: Cell.textOrNull(row.disabled_reason),
    createdAt: Cell.at(row.created_at)
  })
}
