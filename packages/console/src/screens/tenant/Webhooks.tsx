import type { OperatorWebhook } from "@bursar/api/operator/OperatorWebhook"
import { Link } from "wouter"
import { useRead } from "../../api/hooks.ts"
import { About } from "../../ui/About.tsx"
import { Action } from "../../ui/Action.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { ShownOnce } from "../../ui/ShownOnce.tsx"
import { CreateWebhook } from "./CreateWebhook.tsx"
import { Foreign } from "../../ui/Foreign.tsx"

/** What can be done about one endpoint. */
export const WebhookActions = ({ id, webhook }: { readonly id: string; readonly webhook: OperatorWebhook }) => {
  const params = { tenant_id: id, webhook_id: webhook.id }
  const { staged_secret: staged } = webhook
  return (
    <div className="actions">
      {webhook.enabled ? (
        <Action
          label="Disable"
          tone="danger"
          preview={`Nothing more is sent to ${webhook.url}. Its events are kept.`}
          does="webhooks.disable"
          act={() => (ask) => ask({ params })}
        />
      ) : (
        <Action
          label="Enable"
          preview={`Events are sent to ${webhook.url} again.`}
          does="webhooks.enable"
          act={() => (ask) => ask({ params })}
        />
      )}
      <Action
        label="Rotate the secret"
        preview={
          webhook.secret_staged
            ? "Another new secret takes the place of the one that waits to be activated: whoever has that one must not activate any more."
            : "A new secret is made and shown once. Deliveries are signed with the present one until you activate the new one."
        }
        does="webhooks.rotate"
        act={() => (ask) => ask({ params, query: webhook.secret_staged ? { replace: "true" } : {} })}
        done={({ secret }) => <ShownOnce what="Give it to the partner now." secret={secret} />}
      />
      {staged !== null ? (
        <Action
          label="Activate the new secret"
          preview={`Deliveries to ${webhook.url} are signed with it from now on. The partner must know it.`}
          does="webhooks.activateSecret"
          act={() => (ask) => ask({ params, query: { staged } })}
        />
      ) : null}
      <Action
        label="Ping"
        preview={`The newest event that ${webhook.url} wants is delivered once more, to see what it answers. The partner knows it by its id.`}
        does="webhooks.ping"
        act={() => (ask) => ask({ params })}
        done={({ event_id: event }) => `Event ${event} is on its way: its attempt shows the answer.`}
      />
      <Action
        label="Replay"
        preview="The events of the range are delivered again. The partner knows them by their ids."
        ask={[
          { name: "from", label: "From event" },
          { name: "to", label: "To event" }
        ]}
        does="webhooks.replay"
        act={({ from = "", to = "" }) =>
          (ask) =>
            ask({ params, payload: { from_event_id: Number(from), to_event_id: Number(to) } })
          }
        done={({ enabled, queued }) =>
          `${queued} deliveries are queued.${enabled ? "" : " Nothing is sent until the endpoint is enabled."}`
        }
      />
    </div>
  )
}

/** The webhook endpoints of a tenant. */
export const Webhooks = ({ id }: { readonly id: string }) => {
  const webhooks = useRead(["webhooks", id], (api) => api.webhooks.list({ params: { tenant_id: id } }))
  return (
    <Card title="Webhooks">
      <div className="stack">
        <div className="actions">
          <CreateWebhook id={id} />
        </div>
        <Loaded of={webhooks}>
          {({ webhooks: all }) => (
            <Rows
              label="Webhooks"
              rows={all}
              keyOf={({ id: webhook }) => webhook}
              empty="It has no webhook endpoint."
              columns={[
                {
                  title: "URL",
                  kind: "wrap",
                  of: ({ id: webhook, url }) => (
                    <Link href={`/tenants/${id}/webhooks/${webhook}`}>
                      <Foreign text={url} />
                    </Link>
                  )
                },
                { title: "Kinds", kind: "wrap", of: ({ kinds }) => kinds?.join(", ") ?? "all" },
                {
                  title: "State",
                  kind: "wrap",
                  of: ({ disabled_reason: reason, enabled, secret_staged: staged }) => (
                    <>
                      <Badge tone={enabled ? "good" : "bad"}>{enabled ? "enabled" : "disabled"}</Badge>{" "}
                      <Foreign text={reason ?? ""} /> {staged ? <Badge tone="warn">new secret waits</Badge> : null}
                    </>
                  )
                },
                {
                  title: "",
                  of: (webhook) => (
                    <About of={[["Endpoint", webhook.url]]}>
                      <WebhookActions id={id} webhook={webhook} />
                    </About>
                  )
                }
              ]}
            />
          )}
        </Loaded>
      </div>
    </Card>
  )
}
