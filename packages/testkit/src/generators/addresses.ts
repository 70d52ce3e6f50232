import type { AddressItem } from "@bursar/core/address/registerAddresses"
import { networks } from "@bursar/core/money/Network"
import fc from "fast-check"
import { addressItem } from "../fixtures/deposits.ts"

/** Items of a registration over few addresses, so that they repeat. */
export const addressItems: fc.Arbitrary<ReadonlyArray<AddressItem>> = fc.array(
  fc
    .record({
      network: fc.constantFrom(...networks),
      address: fc.constantFrom("a", "b", "c", "d"),
      reference: fc.string({ maxLength: 20 })
    })
    .map(({ address, network, reference }) => addressItem(address, { network, reference })),
  { maxLength: 12 }
)
