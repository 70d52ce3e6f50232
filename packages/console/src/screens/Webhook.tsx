import { useEffect, useState } from "react"
import { Link } from "wouter"
import { useRead } from "../api/hooks.ts"
import { About } from "../ui/About.tsx"
import { Action } from "../ui/Action.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Card } from "../ui/Card.tsx"
import { Foreign } from "../ui/Foreign.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { Titled } from "../ui/Titled.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Rows } from "../ui/Rows.tsx"
import { TenantLink } from "../ui/TenantLink.tsx"
import { Time } from "../ui/Time.tsx"
import { WebhookActions } from "./tenant/Webhooks.tsx"

/** How many attempts are shown. */
const attemptsShown = 200

/** How many deliveries wait to be made again, and how many of those that the page has seen are made. */
const Waiting = ({ count }: { readonly count: number }) => {
  const [most, setMost] = useState(count)
  useEffect(() => setMost((before) => (count === 0 ? 0 : Math.max(before, count))), [count])
  if (count === 0) return null
  const many = Math.max(most, count)
  return (
    <p role="status">
      <progress aria-label="How many are made" value={many - count} max={many} /> {count}{" "}
      {count === 1 ? "delivery waits" : "deliveries wait"} to be made again.
    </p>
  )
}

/** One webhook endpoint with what it answered. */
export const Webhook = ({ id, tenant }: { readonly tenant: string; readonly id: string }) => {
  const params = { tenant_id: tenant, webhook_id: id }
  const all = useRead(["webhooks", tenant], (api) => api.webhooks.list({ params: { tenant_id: tenant } }))
  const attempts = useRead(
    ["attempts", id],
    (api) => api.webhooks.attempts({ params, query: { limit: attemptsShown } }),
    ({ waiting }) => waiting > 0
  )
  return (
    <Loaded of={all}>
      {({ webhooks }) => {
        const webhook = webhooks.find((one) => one.id === id)
        return webhook === undefined ? (
          <Notice>There is no such endpoint.</Notice>
        ) : (
          <About
            of={[
              ["Tenant", <TenantLink id={tenant} />],
              ["Endpoint", webhook.url]
            ]}
          >
            <Titled subject={webhook.url} />
            <div className="head">
              <h1>
                <Foreign text={webhook.url} />
              </h1>
              <Link href={`/tenants/${tenant}`}>Its tenant</Link>
            </div>
            <WebhookActions id={tenant} webhook={webhook} />
            <Card title="Attempts">
              <Loaded of={attempts}>
                {({ attempts: rows, waiting }) => (
                  <>
                    <Waiting count={waiting} />
                    <Rows
                      label="Attempts"
                      rows={rows}
                      keyOf={({ attempt, attempted_at: at, event_id: event }) => `${event}|${attempt}|${at}`}
                      empty="Nothing was delivered yet."
                      columns={[
                        { title: "At", of: ({ attempted_at: at }) => <Time at={at} /> },
                        { title: "Event", kind: "amount", of: ({ event_id: event }) => event },
                        { title: "Attempt", kind: "amount", of: ({ attempt }) => attempt },
                        {
                          title: "Answer",
                          of: ({ delivered, status }) => (
                            <Badge tone={delivered ? "good" : "bad"}>{status ?? "none"}</Badge>
                          )
                        },
                        { title: "Took, ms", kind: "amount", of: ({ duration_ms: took }) => took },
                        { title: "Said", kind: "wrap", of: ({ problem, response }) => problem ?? response ?? "" },
                        {
                          title: "",
                          of: ({ event_id: event }) => (
                            <Action
                              label="Send again"
                              preview={`Event ${event} is delivered again.`}
                              does="webhooks.resend"
                              act={() => (ask) => ask({ params, payload: { event_id: event } })}
                            />
                          )
                        }
                      ]}
                    />
                  </>
                )}
              </Loaded>
            </Card>
          </About>
        )
      }}
    </Loaded>
  )
}
