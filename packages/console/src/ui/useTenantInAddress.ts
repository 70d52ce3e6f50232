import type { OperatorTenant } from "@bursar/api/operator/OperatorTenant"
import { useLocation, useSearch } from "wouter"
import { useRead } from "../api/hooks.ts"
import { tenantIn } from "./tenantIn.ts"

/** What stands behind `?` in the address, and how to change one part of it and forget another; an empty value takes the part out. */
export const useAddressParts = () => {
  const parts = new URLSearchParams(useSearch())
  const [path, go] = useLocation()
  const change = (name: string, value: string, forget?: string) => {
    const changed = new URLSearchParams(parts)
    if (forget !== undefined) changed.delete(forget)
    if (value === "") changed.delete(name)
    else changed.set(name, value)
    const text = changed.toString()
    go(text === "" ? path : `${path}?${text}`, { replace: true })
  }
  return { parts, change }
}

/** The tenant that a screen is about, as the address says. */
export const useTenantInAddress = () => {
  const { change, parts } = useAddressParts()
  const tenants = useRead(["tenants"], (api) => api.tenants.list())
  const all: ReadonlyArray<OperatorTenant> = tenants.data?.tenants ?? []
  const wanted = parts.get("tenant")
  return {
    all,
    tenant: tenantIn(all, wanted),
    wanted,
    // an address is one of a single tenant
    choose: (slug: string) => change("tenant", slug, "address"),
    tenants
  }
}
