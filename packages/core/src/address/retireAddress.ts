import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { Refusal } from "../engine/Refusal.ts"
import type { DepositAddress } from "./DepositAddress.ts"

/** The refusal for a record that the tenant does not have: the same for absent, foreign and wrong kind. */
export const noSuchAddress = () => new Refusal({ code: "not_found", message: "No such deposit address." })

/**
 * Stops watching an address. Deposits already found go on; repeating changes nothing. Refuses with `not_found` what the
 * tenant does not have.
 */
export const retireAddress = (id: string): Command<DepositAddress> => ({
  name: "RetireAddress",
  reads: [{ _tag: "Address", id }],
  decide: (view) => {
    const address = view.address(id)
    if (address === undefined) return Result.fail(noSuchAddress())
    if (address.retiredAt !== null) return Result.succeed({ changes: [], reply: address })
    const retired: DepositAddress = { ...address, retiredAt: view.now, watchNowUntil: null }
    return Result.succeed({
      changes: [
        { _tag: "AddressPut", address: retired },
        { _tag: "AddressFreed", network: retired.network, address: retired.address, addressId: retired.id }
      ],
      reply: retired
    })
  }
})
