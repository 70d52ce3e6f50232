import { Refusal } from "@bursar/core/base/Refusal"

/** The refusal of a network that is none, or is off. */
export const unknownNetwork = (name: string): Refusal =>
  new Refusal({
    code: "unknown_network",
    message: `${JSON.stringify(name)} is not an enabled network.`
  })
