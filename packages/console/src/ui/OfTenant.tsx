import type { OperatorTenant } from "@bursar/api/operator/OperatorTenant"
import type { ReactNode } from "react"
import { Failed } from "./Notice.tsx"
import { useTenantInAddress } from "./useTenantInAddress.ts"

/** What is shown of one tenant, with a choice of which; the choice stands in the address. */
export const OfTenant = ({ children }: { readonly children: (tenant: OperatorTenant) => ReactNode }) => {
  const { all, choose, error, isPending, tenant } = useTenantInAddress()
  return (
    <>
      {error === null ? null : <Failed error={error} />}
      {isPending ? <p className="muted">Loading …</p> : null}
      {!isPending && tenant === undefined ? <p className="muted">There is no tenant yet.</p> : null}
      {tenant === undefined ? null : (
        <>
          <form className="filters" onSubmit={(event) => event.preventDefault()}>
            <label>
              Tenant
              <select value={tenant.slug} onChange={({ currentTarget: { value } }) => choose(value)}>
                {all.map(({ id, slug }) => (
                  <option key={id}>{slug}</option>
                ))}
              </select>
            </label>
          </form>
          {children(tenant)}
        </>
      )}
    </>
  )
}
