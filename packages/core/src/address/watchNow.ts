import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { DepositAddress } from "./DepositAddress.ts"
import { noSuchAddress } from "./retireAddress.ts"
import { readRecord, putRecord } from "../engine/Records.ts"

/** How long an address is read every minute after a watch-now (spec, "Limits"). */
export const watchNowWindowMs = 60 * 60 * 1000

/**
 * Asks for an address to be read in the next pass and every minute for an hour, be it live or retired; a repeat restarts the
 * hour. Refuses with `not_found` what the tenant does not have.
 */
export const watchNow = (id: string): Command<DepositAddress> => ({
  name: "WatchNow",
  reads: [readRecord(DepositAddress, id)],
  decide: (view) => {
    const address = view.get(DepositAddress, id)
    if (address === undefined) return Result.fail(noSuchAddress())
    const watched: DepositAddress = { ...address, watchNowUntil: view.now + watchNowWindowMs }
    return Result.succeed({ changes: [putRecord(DepositAddress, watched)], reply: watched })
  }
})
