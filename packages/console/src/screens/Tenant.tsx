import type { OperatorTenant } from "@bursar/api/operator/OperatorTenant"
import { Link } from "wouter"
import { useRead } from "../api/hooks.ts"
import { Action } from "../ui/Action.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Card } from "../ui/Card.tsx"
import { Copied } from "../ui/Copied.tsx"
import { Facts } from "../ui/Facts.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { Rows } from "../ui/Rows.tsx"
import { Time } from "../ui/Time.tsx"
import { FloatOf } from "./FloatOf.tsx"
import { TenantPeriods } from "./books/Periods.tsx"
import { Adjustments } from "./tenant/Adjustments.tsx"
import { Destinations } from "./tenant/Destinations.tsx"
import { FeeRules } from "./tenant/FeeRules.tsx"
import { SigningKeys } from "./tenant/SigningKeys.tsx"
import { Webhooks } from "./tenant/Webhooks.tsx"

const told = (value: unknown): string =>
  value === null
    ? "none"
    : Array.isArray(value)
      ? value.join(", ") || "none"
      : typeof value === "object"
        ? JSON.stringify(value)
        : String(value)

const Switches = ({ tenant: { id, slug, status } }: { readonly tenant: OperatorTenant }) => (
  <div className="actions">
    {status === "ACTIVE" ? (
      <Action
        label="Suspend"
        tone="danger"
        preview={`Nothing leaves for ${slug} and no request of its keys is taken. One person can suspend.`}
        act={() => (api) => api.tenants.suspend({ params: { tenant_id: id } })}
      />
    ) : (
      <Action
        label="Activate"
        tone="primary"
        preview={`${slug} may work again. Where grants are configured this takes a grant, and the answer says how.`}
        act={() => (api) => api.tenants.activate({ params: { tenant_id: id } })}
      />
    )}
    <Link href={`/operations?tenant_id=${id}`}>Operations</Link>
  </div>
)

const Keys = ({ id }: { readonly id: string }) => {
  const keys = useRead(["keys", id], (api) => api.keys.list({ params: { tenant_id: id } }))
  return (
    <Card title="API keys">
      <Loaded of={keys}>
        {({ keys: all }) => (
          <Rows
            label="API keys"
            rows={all}
            keyOf={({ id: key }) => key}
            empty="No key was created yet."
            columns={[
              { title: "Key", of: ({ prefix }) => <span className="mono">{prefix}</span> },
              { title: "Label", kind: "wrap", of: ({ label }) => label },
              { title: "Scopes", kind: "wrap", of: ({ scopes }) => scopes.join(", ") },
              {
                title: "",
                of: ({ id: key, label, revoked_at: revoked }) =>
                  revoked === null ? (
                    <Action
                      label="Revoke"
                      tone="danger"
                      preview={`Requests with ${label} are refused within seconds. It cannot be undone.`}
                      act={() => (api) => api.keys.revoke({ params: { tenant_id: id, key_id: key } })}
                    />
                  ) : (
                    <Badge>revoked</Badge>
                  )
              }
            ]}
          />
        )}
      </Loaded>
    </Card>
  )
}

const Wallets = ({ id }: { readonly id: string }) => {
  const wallets = useRead(["wallets", id], (api) => api.payouts.wallets({ params: { tenant_id: id } }))
  return (
    <Card title="Wallets">
      <Loaded of={wallets}>
        {({ wallets: all }) => (
          <Rows
            label="Wallets"
            rows={all}
            keyOf={({ id: wallet }) => wallet}
            empty="It has no wallet to pay from."
            columns={[
              { title: "Network", of: ({ network }) => network },
              { title: "Role", of: ({ role }) => role },
              { title: "Address", of: ({ address }) => <Copied text={address} /> },
              { title: "Key", of: ({ custody }) => custody ?? "vault" },
              { title: "Open transactions", kind: "amount", of: ({ open_transactions: open }) => open },
              { title: "Next nonce", kind: "amount", of: ({ next_sequence: next }) => next ?? "–" }
            ]}
          />
        )}
      </Loaded>
    </Card>
  )
}

/** One tenant: what it may do, what it has, and with which keys. */
export const Tenant = ({ id }: { readonly id: string }) => {
  const found = useRead(["tenant", id], (api) => api.tenants.get({ params: { tenant_id: id } }))
  return (
    <Loaded of={found}>
      {(tenant) => (
        <>
          <div className="head">
            <h1>{tenant.name}</h1>
            <span>
              <Badge tone={tenant.status === "ACTIVE" ? "good" : "warn"}>{tenant.status}</Badge>{" "}
              <Badge>{tenant.kind}</Badge>
            </span>
          </div>
          <Switches tenant={tenant} />
          <FloatOf id={id} title="Balances" />
          <Adjustments id={id} />
          <Wallets id={id} />
          <Destinations id={id} />
          <Keys id={id} />
          <SigningKeys id={id} />
          <Webhooks id={id} />
          <FeeRules id={id} />
          <TenantPeriods id={id} />
          <Card title="Settings">
            <Facts
              of={[
                ["Id", <Copied text={tenant.id} />],
                ["Created", <Time at={tenant.created_at} />],
                ...Object.entries(tenant.settings).map(([name, value]) => [name, told(value)] as const)
              ]}
            />
          </Card>
        </>
      )}
    </Loaded>
  )
}
