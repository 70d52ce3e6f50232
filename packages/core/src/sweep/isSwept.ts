import { type DepositAddress, serviceHoldsKey } from "../address/DepositAddress.ts"

/**
 * Whether the service sweeps an address now: it has the key and nothing holds it. Null where it has no key. An imported account of
 * stellar is never swept: what it has to keep is its owner's to say.
 */
export const isSwept = ({
  network,
  origin,
  sweepHold
}: Pick<DepositAddress, "network" | "origin" | "sweepHold">): boolean | null =>
  serviceHoldsKey(origin) ? sweepHold === null && !(network === "stellar" && origin === "IMPORTED") : null
