import { Link } from "wouter"
import { useRead } from "../api/hooks.ts"

/** A tenant by the name that no other has, and by its whole id until that is read: the first signs of an id are those of others of its time, too. */
export const TenantLink = ({ id }: { readonly id: string }) => {
  const tenants = useRead(["tenants"], (api) => api.tenants.list())
  return <Link href={`/tenants/${id}`}>{tenants.data?.tenants.find((one) => one.id === id)?.slug ?? id}</Link>
}
