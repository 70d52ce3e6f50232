import type { OperatorTenant } from "@bursar/api/operator/OperatorTenant"
import { useLocation, useSearch } from "wouter"
import { useRead } from "../api/hooks.ts"

/** What stands behind `?` in the address, and how to change one part of it; an empty value takes the part out. */
export const useAddressParts = () => {
  const parts = new URLSearchParams(useSearch())
  const [path, go] = useLocation()
  const change = (name: string, value: string) => {
    const changed = new URLSearchParams(parts)
    if (value === "") changed.delete(name)
    else changed.set(name, value)
    const text = changed.toString()
    go(text === "" ? path : `${path}?${text}`, { replace: true })
  }
  return { parts, change }
}

/** The tenant that a screen is about, as the address says; the first where it says nothing. */
export const useTenantInAddress = () => {
  const { change, parts } = useAddressParts()
  const tenants = useRead(["tenants"], (api) => api.tenants.list())
  const all: ReadonlyArray<OperatorTenant> = tenants.data?.tenants ?? []
  const wanted = parts.get("tenant")
  return {
    all,
    tenant: all.find(({ id, slug }) => id === wanted || slug === wanted) ?? all.at(0),
    choose: (slug: string) => change("tenant", slug),
    tenants
  }
}
