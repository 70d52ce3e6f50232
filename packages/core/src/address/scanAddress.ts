import { Result } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import { Refusal } from "../base/Refusal.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import { Backfill, DepositAddress } from "./DepositAddress.ts"
import { noSuchAddress } from "./retireAddress.ts"

/** From where on the past of an address is read. */
export type ScanStart =
  | { readonly _tag: "Moment"; readonly at: Timestamp }
  | { readonly _tag: "Block"; readonly number: number }

/**
 * Has the watcher read the past of an address again, up to where it is. What is known stays, and an arrival is recorded once, however often
 * it is read. `not_found` where the tenant has no such address; `state_conflict` where it is retired; `invalid_request` where it would begin in the
 * future.
 */
export const scanAddress = (id: string, start: ScanStart): Command<Backfill> => ({
  name: "ScanAddress",
  reads: [readRecord(DepositAddress, id)],
  decide: (view) => {
    const address = view.get(DepositAddress, id)
    if (address === undefined) return Result.fail(noSuchAddress())
    if (address.retiredAt !== null)
      return Result.fail(new Refusal({ code: "state_conflict", message: "The address is retired: nobody watches it." }))
    if (start._tag === "Moment" && start.at > view.now)
      return Result.fail(new Refusal({ code: "invalid_request", message: "`from` lies in the future." }))
    const backfill: Backfill = {
      id: view.newId(),
      tenantId: view.tenant.id,
      network: address.network,
      addresses: [address.address],
      fromBlock: start._tag === "Block" ? start.number : null,
      fromTime: start._tag === "Moment" ? start.at : view.now,
      createdAt: view.now
    }
    return Result.succeed({ changes: [putRecord(Backfill, backfill)], reply: backfill })
  }
})
