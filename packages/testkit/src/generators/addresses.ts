import type { AddressItem } from "@bursar/core/address/registerAddresses"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import fc from "fast-check"
import { addressItem } from "../fixtures/deposits.ts"

/** Items of a registration over few addresses, so that they repeat. */
export const addressItems: fc.Arbitrary<ReadonlyArray<AddressItem>> = fc.array(
  fc
    .record({
      network: fc.constantFrom(...presetNetworks.all.map(({ name }) => name)),
      address: fc.constantFrom("a", "b", "c", "d"),
      reference: fc.string({ maxLength: 20 })
    })
    .map(({ address, network, reference }) => addressItem(address, { network, reference })),
  { maxLength: 12 }
)
