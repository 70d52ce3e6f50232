import type { OperatorTenant } from "@bursar/api/operator/OperatorTenant"
import { Link } from "wouter"
import { useRead } from "../api/hooks.ts"
import { About } from "../ui/About.tsx"
import { Action } from "../ui/Action.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { Titled } from "../ui/Titled.tsx"
import { FloatOf } from "./FloatOf.tsx"
import { TenantPeriods } from "./books/Periods.tsx"
import { ApiKeys } from "./tenant/ApiKeys.tsx"
import { Adjustments } from "./tenant/Adjustments.tsx"
import { Destinations } from "./tenant/Destinations.tsx"
import { FeeRules } from "./tenant/FeeRules.tsx"
import { Limits } from "./tenant/Limits.tsx"
import { Sandbox } from "./tenant/Sandbox.tsx"
import { TenantSettings } from "./tenant/Settings.tsx"
import { SigningKeys } from "./tenant/SigningKeys.tsx"
import { WalletList } from "./tenant/WalletList.tsx"
import { Webhooks } from "./tenant/Webhooks.tsx"
import { Foreign } from "../ui/Foreign.tsx"

const because = (reason: string): { readonly reason?: string } => (reason === "" ? {} : { reason })

const Switches = ({ tenant: { id, slug, status } }: { readonly tenant: OperatorTenant }) => (
  <div className="actions">
    {status === "ACTIVE" ? (
      <Action
        label="Suspend"
        tone="danger"
        preview={`Nothing leaves for ${slug} and no request of its keys is taken.`}
        ask={[{ name: "reason", label: "Reason", kind: "text", optional: true }]}
        does="tenants.suspend"
        act={({ reason = "" }) =>
          (ask) =>
            ask({ params: { tenant_id: id }, payload: because(reason) })
          }
      />
    ) : (
      <Action
        label="Activate"
        tone="primary"
        preview={`${slug} may work ${status === "SUSPENDED" ? "again" : "from now on"}.`}
        // the first time there is nothing to give a reason for
        ask={status === "SUSPENDED" ? [{ name: "reason", label: "Reason", kind: "text" }] : []}
        does="tenants.activate"
        act={({ reason = "" }) =>
          (ask) =>
            ask({ params: { tenant_id: id }, payload: because(reason) })
          }
      />
    )}
    <Link href={`/operations?tenant_id=${id}`}>Operations</Link>
    <Link href={`/customers?tenant=${slug}`}>Customers</Link>
    <Link href={`/deposits/addresses?tenant=${slug}`}>Addresses</Link>
    <Link href={`/audit?about=${id}`}>History</Link>
  </div>
)

/** One tenant: what it may do, what it has, and with which keys. */
export const Tenant = ({ id }: { readonly id: string }) => {
  const found = useRead(["tenant", id], (api) => api.tenants.get({ params: { tenant_id: id } }))
  return (
    <Loaded of={found}>
      {(tenant) => (
        <About of={[["Tenant", tenant.slug]]}>
          <Titled subject={tenant.slug} />
          <div className="head">
            <h1>
              <Foreign text={tenant.name} />
            </h1>
            <span>
              <Badge tone={tenant.status === "ACTIVE" ? "good" : "warn"}>{tenant.status}</Badge>{" "}
              <Badge>{tenant.kind}</Badge>
            </span>
          </div>
          <Switches tenant={tenant} />
          <Sandbox tenant={tenant} />
          <FloatOf id={id} title="Balances" />
          <Limits id={id} />
          <Adjustments id={id} />
          <WalletList id={id} />
          <Destinations id={id} />
          <ApiKeys id={id} />
          <SigningKeys id={id} />
          <Webhooks id={id} />
          <FeeRules id={id} />
          <TenantPeriods id={id} />
          <TenantSettings tenant={tenant} />
        </About>
      )}
    </Loaded>
  )
}
