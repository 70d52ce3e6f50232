import type { WebhookEndpoint } from "@bursar/core/webhook/WebhookEndpoint"
import { TenantId } from "@bursar/core/tenant/Tenant"
import * as Cell from "../internal/cells.ts"
import { arrayParameter, bool, int8, json, parameter, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { column, type RecordTable } from "../internal/Table.ts"

const ids = (endpoints: ReadonlyArray<WebhookEndpoint>) =>
  arrayParameter(
    uuid,
    endpoints.map(({ id }) => id)
  )

/** A new endpoint starts after the events that were there; one that is switched on again has not failed yet. */
const deliveryState: RecordTable<WebhookEndpoint>["alongside"] = (tenantId, endpoints, { before }) => ({
  before: [
    {
      sql: `update webhook_state s set failing_since = null
        from unnest($2::uuid[]) as e(endpoint_id)
        join webhook_endpoint was on was.tenant_id = $1 and was.endpoint_id = e.endpoint_id
        where s.tenant_id = $1 and s.endpoint_id = e.endpoint_id and not was.enabled`,
      parameters: [parameter(uuid, tenantId), ids(endpoints.filter(({ enabled }) => enabled))]
    }
  ],
  after: [
    {
      sql: `insert into webhook_state (tenant_id, endpoint_id, cursor)
        select $1::uuid, e.endpoint_id, $3::int8 from unnest($2::uuid[]) as e(endpoint_id)
        on conflict (tenant_id, endpoint_id) do nothing`,
      parameters: [parameter(uuid, tenantId), ids(endpoints), parameter(int8, BigInt(before.eventId))]
    }
  ]
})

/** Webhook endpoints. How far delivery has come is not part of the record. */
export const endpointTable: RecordTable<WebhookEndpoint> = {
  name: "webhook_endpoint",
  key: ["endpoint_id"],
  keyType: uuid,
  alongside: deliveryState,
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
