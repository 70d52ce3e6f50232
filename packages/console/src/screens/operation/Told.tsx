import type { OperatorOperationDetail } from "@bursar/api/operator/OperatorOperation"
import { Link } from "wouter"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"
import { Foreign } from "../../ui/Foreign.tsx"

/** What the tenant was told of an operation, and what its endpoints answered. */
export const Told = ({ operation }: { readonly operation: OperatorOperationDetail }) => (
  <Card title="Events">
    <Rows
      label="Events"
      rows={operation.events}
      keyOf={({ id }) => `${id}`}
      empty="The tenant was told nothing yet."
      columns={[
        { title: "Id", of: ({ id }) => id },
        { title: "Kind", of: ({ kind }) => kind },
        { title: "At", of: ({ occurred_at: at }) => <Time at={at} /> }
      ]}
    />
    <h3>Webhook attempts</h3>
    <Rows
      label="Webhook attempts"
      rows={operation.deliveries}
      keyOf={({ attempt, attempted_at: at, event_id: event, webhook_id: id }) => `${id}|${event}|${attempt}|${at}`}
      empty="No endpoint was tried, or it is longer ago than attempts are kept."
      columns={[
        { title: "At", of: ({ attempted_at: at }) => <Time at={at} /> },
        {
          title: "Endpoint",
          kind: "wrap",
          of: ({ url, webhook_id: id }) => (
            <Link href={`/tenants/${operation.tenant_id}/webhooks/${id}`}>
              <Foreign text={url === "" ? id : url} />
            </Link>
          )
        },
        { title: "Event", kind: "amount", of: ({ event_id: event }) => event },
        { title: "Attempt", kind: "amount", of: ({ attempt }) => attempt },
        {
          title: "Answer",
          of: ({ delivered, status }) => <Badge tone={delivered ? "good" : "bad"}>{status ?? "none"}</Badge>
        },
        { title: "Took, ms", kind: "amount", of: ({ duration_ms: took }) => took },
        { title: "Said", kind: "wrap", of: ({ problem, response }) => problem ?? response ?? "" }
      ]}
    />
  </Card>
)
