import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { Refusal } from "../base/Refusal.ts"
import { DepositAddress } from "./DepositAddress.ts"
import { readRecord, putRecord } from "../engine/Records.ts"

/** The refusal for a record that the tenant does not have: the same for absent, foreign and wrong kind. */
export const noSuchAddress = () => new Refusal({ code: "not_found", message: "No such deposit address." })

/**
 * Stops watching an address. Deposits already found go on; repeating changes nothing. Refuses with `not_found` what the
 * tenant does not have.
 */
export const retireAddress = (id: string): Command<DepositAddress> => ({
  name: "RetireAddress",
  reads: [readRecord(DepositAddress, id)],
  decide: (view) => {
    const address = view.get(DepositAddress, id)
    if (address === undefined) return Result.fail(noSuchAddress())
    if (address.retiredAt !== null) return Result.succeed({ changes: [], reply: address })
    const retired: DepositAddress = { ...address, retiredAt: view.now, watchNowUntil: null }
    return Result.succeed({
      changes: [
        putRecord(DepositAddress, retired),
        { _tag: "AddressFreed", network: retired.network, address: retired.address, addressId: retired.id }
      ],
      reply: retired
    })
  }
})
