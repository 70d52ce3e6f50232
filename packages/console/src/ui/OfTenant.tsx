import type { OperatorTenant } from "@bursar/api/operator/OperatorTenant"
import type { ReactNode } from "react"
import { Loaded } from "./Loaded.tsx"
import { useTenantInAddress } from "./useTenantInAddress.ts"

/** What is shown of one tenant, with a choice of which; the choice stands in the address. */
export const OfTenant = ({ children }: { readonly children: (tenant: OperatorTenant) => ReactNode }) => {
  const { all, choose, tenant, tenants } = useTenantInAddress()
  return (
    <Loaded of={tenants}>
      {() =>
        tenant === undefined ? (
          <p className="muted">There is no tenant yet.</p>
        ) : (
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
        )
      }
    </Loaded>
  )
}
