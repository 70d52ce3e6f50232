import type { Tenant } from "./Tenant.ts"

/**
 * Whether a text names a tenant: by its slug to the letter, or by its id in either case (RFC 9562, section 4). What takes a request and
 * what signs for it read its guard by this one rule.
 */
export const namesTenant = (text: string, { id, slug }: Pick<Tenant, "id" | "slug">): boolean =>
  text === slug || text.toLowerCase() === id
