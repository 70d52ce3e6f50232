import type { OperatorTenant } from "@bursar/api/operator/OperatorTenant"
import type { ReactNode } from "react"
import { About } from "./About.tsx"
import { Foreign } from "./Foreign.tsx"
import { Loaded } from "./Loaded.tsx"
import { Notice } from "./Notice.tsx"
import { Titled } from "./Titled.tsx"
import { useTenantInAddress } from "./useTenantInAddress.ts"

/** What is shown of one tenant, with a choice of which; the choice stands in the address. */
export const OfTenant = ({ children }: { readonly children: (tenant: OperatorTenant) => ReactNode }) => {
  const { all, choose, tenant, tenants, wanted } = useTenantInAddress()
  return (
    <Loaded of={tenants}>
      {() =>
        all.length === 0 ? (
          <p className="muted">There is no tenant yet.</p>
        ) : (
          <>
            <form className="filters" onSubmit={(event) => event.preventDefault()}>
              <label>
                Tenant
                <select value={tenant?.slug ?? ""} onChange={({ currentTarget: { value } }) => choose(value)}>
                  {tenant === undefined ? <option value="">choose</option> : null}
                  {all.map(({ id, slug }) => (
                    <option key={id}>{slug}</option>
                  ))}
                </select>
              </label>
            </form>
            {tenant === undefined ? (
              <Notice tone="bad">
                There is no tenant <Foreign text={wanted ?? ""} />, or its row cannot be read.
              </Notice>
            ) : (
              <About of={[["Tenant", tenant.slug]]}>
                <Titled subject={tenant.slug} />
                {children(tenant)}
              </About>
            )}
          </>
        )
      }
    </Loaded>
  )
}
