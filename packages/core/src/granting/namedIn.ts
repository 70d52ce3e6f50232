import type { Event } from "../event/Event.ts"
import type { NamedAddress } from "./ShownAddresses.ts"

/** The deposit address that an event names; none where it names none. */
export const namedIn = ({ data }: Event): ReadonlyArray<NamedAddress> => {
  const { address, network } = data
  return typeof address === "string" && typeof network === "string" ? [{ address, network }] : []
}
