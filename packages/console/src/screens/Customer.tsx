import { useRead } from "../api/hooks.ts"
import { About } from "../ui/About.tsx"
import { Action } from "../ui/Action.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Card } from "../ui/Card.tsx"
import { Copied } from "../ui/Copied.tsx"
import { Facts } from "../ui/Facts.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { Titled } from "../ui/Titled.tsx"
import { listMax } from "../ui/listMax.ts"
import { More } from "../ui/More.tsx"
import { Rows } from "../ui/Rows.tsx"
import { TenantLink } from "../ui/TenantLink.tsx"
import { Time } from "../ui/Time.tsx"
import { AccountCard } from "./customers/AccountCard.tsx"
import { checkTone } from "./customers/checkTone.ts"
import { operationColumns } from "./operationColumns.tsx"
import { Unreadable } from "./operations/Unreadable.tsx"
import { Foreign } from "../ui/Foreign.tsx"

const known = (text: string | null) => (text === null ? null : <Copied text={text} />)

const Operations = ({ id, tenant }: { readonly id: string; readonly tenant: string }) => {
  const found = useRead(["customer-operations", tenant, id], (api) =>
    api.customers.operations({ params: { tenant_id: tenant, customer_id: id }, query: { limit: listMax } })
  )
  return (
    <Card title="Operations">
      <Loaded of={found}>
        {({ operations, unreadable }) => (
          <>
            <Unreadable operations={unreadable} />
            <Rows
              label="Operations"
              rows={operations}
              columns={operationColumns}
              keyOf={({ id: operation }) => operation}
              empty="The customer has no operation."
            />
            <More count={operations.length + unreadable.length} />
          </>
        )}
      </Loaded>
    </Card>
  )
}

const EndApproval = ({
  applicant,
  id,
  tenant
}: {
  readonly applicant: string
  readonly tenant: string
  readonly id: string
}) => (
  <Action
    label="End the approval"
    tone="danger"
    preview={`For an applicant that the identity provider has deleted. The approval of ${applicant} grants nothing from now on. If the provider still tells of it, it counts again: end such a one at the provider.`}
    ask={[{ name: "reason", label: "Why" }]}
    does="customers.endCheck"
    act={({ reason = "" }) =>
      (ask) =>
        ask({ params: { tenant_id: tenant, customer_id: id }, payload: { applicant_id: applicant, reason } })
      }
  />
)

/** One end user of a tenant: the identity check, the accounts with their entries, and what was done. */
export const Customer = ({ id, tenant }: { readonly tenant: string; readonly id: string }) => {
  const found = useRead(["customer", tenant, id], (api) =>
    api.customers.get({ params: { tenant_id: tenant, customer_id: id } })
  )
  return (
    <Loaded of={found}>
      {({ accounts, customer: { verification: check, ...customer } }) => (
        <About
          of={[
            ["Tenant", <TenantLink id={tenant} />],
            ["Customer", customer.external_id]
          ]}
        >
          <Titled subject={customer.external_id} />
          <div className="head">
            <h1>
              <Foreign text={customer.external_id} />
            </h1>
            <Badge tone={checkTone(check.status)}>{check.status}</Badge>
          </div>
          <Card title="Facts">
            <Facts
              of={[
                ["Id", <Copied text={customer.id} />],
                ["Tenant", <TenantLink id={tenant} />],
                ["Name", customer.display_name],
                ["Kind", customer.is_business ? "business" : "person"],
                ["Country", customer.country],
                ["Since", <Time at={customer.created_at} />],
                ["Registered with", customer.provider],
                ["Known there as", known(customer.provider_customer_id)]
              ]}
            />
          </Card>
          <Card title="Identity check">
            <Facts
              of={[
                ["State", check.status],
                ["Provider", check.provider],
                ["Environment", check.environment],
                ["Applicant", known(check.applicant_id)],
                ["May", check.capabilities.join(", ") || "nothing"],
                ["Decided", check.decided_at === null ? null : <Time at={check.decided_at} />],
                ["Ends", check.expires_at === null ? null : <Time at={check.expires_at} />]
              ]}
            />
            {check.status === "APPROVED" && check.applicant_id !== null ? (
              <div className="actions">
                <EndApproval applicant={check.applicant_id} tenant={tenant} id={id} />
              </div>
            ) : null}
          </Card>
          {accounts.length === 0 ? <p className="muted">The customer has no fiat account.</p> : null}
          {accounts.map((account) => (
            <AccountCard key={account.id} account={account} tenant={tenant} />
          ))}
          <Operations id={id} tenant={tenant} />
        </About>
      )}
    </Loaded>
  )
}
