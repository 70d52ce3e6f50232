import { Refusal } from "@bursar/core/base/Refusal"
import type { Network } from "@bursar/core/money/Network"

/** The network of a name, where it is one that is switched on here. */
export const switchedOn = (enabled: ReadonlyArray<Network>, name: string): Network | undefined =>
  enabled.includes(name) ? name : undefined

/** The refusal of a network that is none, or is off. */
export const unknownNetwork = (name: string): Refusal =>
  new Refusal({
    code: "unknown_network",
    message: `${JSON.stringify(name)} is not an enabled network.`
  })
