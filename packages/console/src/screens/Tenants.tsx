import { Link } from "wouter"
import { useRead } from "../api/hooks.ts"
import { Action } from "../ui/Action.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Rows } from "../ui/Rows.tsx"
import { Time } from "../ui/Time.tsx"
import { Foreign } from "../ui/Foreign.tsx"

/** Every tenant, and how one begins. */
export const Tenants = () => {
  const tenants = useRead(["tenants"], (api) => api.tenants.list())
  return (
    <>
      <div className="head">
        <h1>Tenants</h1>
        <Action
          label="New tenant"
          tone="primary"
          preview="It starts in ONBOARDING. SANDBOX is on test networks and sandbox providers alone, LIVE moves real money; it stays what it is for good. Where grants are configured, people approve it before it may do anything."
          ask={[
            { name: "slug", label: "Short name: lower-case letters, digits and hyphens" },
            { name: "name", label: "Name" },
            { name: "kind", label: "Kind", options: ["SANDBOX", "LIVE"] }
          ]}
          does="tenants.create"
          act={({ kind, name = "", slug = "" }) =>
            (ask) =>
              ask({ payload: { slug, name, kind: kind === "LIVE" ? "LIVE" : "SANDBOX" } })
            }
        />
      </div>
      <Loaded of={tenants}>
        {({ tenants: all, unreadable }) => (
          <>
            {unreadable.map(({ id, problem }) => (
              <Notice key={id} tone="bad">
                The row of tenant {id} cannot be read: <Foreign text={problem} />. It can do nothing until the row is
                repaired.
              </Notice>
            ))}
            <Rows
              label="Tenants"
              rows={all}
              keyOf={({ id }) => id}
              empty="There is no tenant yet."
              columns={[
                { title: "Tenant", of: ({ id, slug }) => <Link href={`/tenants/${id}`}>{slug}</Link> },
                { title: "Name", kind: "wrap", of: ({ name }) => name },
                { title: "Kind", of: ({ kind }) => <Badge tone={kind === "LIVE" ? "warn" : "plain"}>{kind}</Badge> },
                {
                  title: "Status",
                  of: ({ status }) => <Badge tone={status === "ACTIVE" ? "good" : "warn"}>{status}</Badge>
                },
                { title: "Since", of: ({ created_at: at }) => <Time at={at} /> }
              ]}
            />
          </>
        )}
      </Loaded>
    </>
  )
}
