import type { World } from "../world/World.ts"
import type { Told } from "./Told.ts"

/** What stands in an account of a partner's books, in base units. */
export const booked = ({ state }: World, { partner }: Told, account: string, currency: string): bigint => {
  const balances = state.tenants.get(partner.id)?.balances.values() ?? []
  return [...balances].find((one) => one.account === account && one.currency === currency)?.units ?? 0n
}
