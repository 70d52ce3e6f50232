import { canonicalHash } from "@bursar/core/payout/PayoutEvidence"
import { adapterOf, type Networks } from "@bursar/core/port/Networks"
import { Result } from "effect"

/** The ways in which networks write hashes. */
const hashPrefixes = ["", "0x"] as const

/** The texts under which what somebody typed may be stored: as it is, and as networks write it if it is an address or a hash. */
export const spellings = (text: string, networks: Networks["Service"]): ReadonlyArray<string> => {
  const hashes = hashPrefixes.map((hashPrefix) => canonicalHash({ hashPrefix }, text))
  const addresses = networks.enabled.map((network) =>
    Result.getOrUndefined(adapterOf(networks, network).parseAddress(text))
  )
  const canonical = [...hashes, ...addresses].filter((one) => one !== undefined)
  return [...new Set([text, text.toLowerCase(), ...canonical])]
}
