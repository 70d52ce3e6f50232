import type { OperatorTenant } from "@bursar/api/operator/OperatorTenant"
import { useState } from "react"
import { Link } from "wouter"
import { useRead } from "../api/hooks.ts"
import { Badge } from "../ui/Badge.tsx"
import { Card } from "../ui/Card.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { OfTenant } from "../ui/OfTenant.tsx"
import { emptyPage, Pager } from "../ui/Pager.tsx"
import { listMax } from "../ui/listMax.ts"
import { More } from "../ui/More.tsx"
import { Rows } from "../ui/Rows.tsx"
import { Time } from "../ui/Time.tsx"
import { checkTone } from "./customers/checkTone.ts"
import { operationColumns } from "./operationColumns.tsx"
import { Foreign } from "../ui/Foreign.tsx"

const All = ({ tenant: { id } }: { readonly tenant: OperatorTenant }) => {
  const [externalId, setExternalId] = useState("")
  const [after, setAfter] = useState<string | undefined>()
  const wanted = externalId.trim()
  const found = useRead(["customers", id, wanted, after], (api) =>
    api.customers.list({
      params: { tenant_id: id },
      query: { limit: 100, ...(wanted !== "" && { external_id: wanted }), ...(after !== undefined && { after }) }
    })
  )
  return (
    <Card title="Customers of the tenant">
      <div className="stack">
        <form className="filters" onSubmit={(event) => event.preventDefault()}>
          <label>
            The tenant’s own id
            <input
              value={externalId}
              onChange={({ currentTarget: { value } }) => {
                setExternalId(value)
                setAfter(undefined)
              }}
            />
          </label>
        </form>
        <Loaded of={found}>
          {({ customers, next_after: next }) => (
            <>
              <Rows
                label="Customers"
                rows={customers}
                keyOf={({ id: customer }) => customer}
                empty={emptyPage(after, "There is no such customer.")}
                columns={[
                  {
                    title: "Customer",
                    kind: "wrap",
                    of: (one) => (
                      <Link href={`/customers/${id}/${one.id}`}>
                        <Foreign text={one.external_id} />
                      </Link>
                    )
                  },
                  { title: "Kind", of: ({ is_business: isBusiness }) => (isBusiness ? "business" : "person") },
                  { title: "Country", of: ({ country }) => country ?? "–" },
                  {
                    title: "Identity check",
                    of: ({ verification: { status } }) => <Badge tone={checkTone(status)}>{status}</Badge>
                  },
                  { title: "Provider", of: ({ provider }) => provider ?? "–" },
                  { title: "Since", of: ({ created_at: at }) => <Time at={at} /> }
                ]}
              />
              <Pager next={next} after={after} go={setAfter} />
            </>
          )}
        </Loaded>
      </div>
    </Card>
  )
}

const transferKinds = ["ON_RAMP", "OFF_RAMP", "BANK_TRANSFER", "REFUND", "INTERNAL_TRANSFER", "REVERSAL"] as const

const Transfers = ({ tenant: { id } }: { readonly tenant: OperatorTenant }) => {
  const [kind, setKind] = useState<(typeof transferKinds)[number]>("BANK_TRANSFER")
  const found = useRead(["transfers", id, kind], (api) =>
    api.operations.list({ query: { tenant_id: id, kind, limit: listMax } })
  )
  return (
    <Card title="Transfers">
      <div className="stack">
        <form className="filters" onSubmit={(event) => event.preventDefault()}>
          <label>
            Kind
            <select
              value={kind}
              onChange={({ currentTarget: { value } }) =>
                setKind(transferKinds.find((one) => one === value) ?? "BANK_TRANSFER")
              }
            >
              {transferKinds.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
        </form>
        <Loaded of={found}>
          {({ operations }) => (
            <>
              <Rows
                label="Transfers"
                rows={operations}
                columns={operationColumns}
                keyOf={({ id: operation }) => operation}
                empty="There is no such transfer."
              />
              <More count={operations.length}>
                <Link href={`/operations?tenant_id=${id}&kind=${kind}`}>All transfers</Link>
              </More>
            </>
          )}
        </Loaded>
      </div>
    </Card>
  )
}

/** The end users of a tenant, and the fiat that moves for them. */
export const Customers = () => (
  <>
    <h1>Customers</h1>
    <OfTenant>
      {(tenant) => (
        <>
          <All key={tenant.id} tenant={tenant} />
          <Transfers key={`transfers ${tenant.id}`} tenant={tenant} />
        </>
      )}
    </OfTenant>
  </>
)
