import { keyReads, keyAvailability } from "./keyAvailability.ts"
import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { Refusal } from "../base/Refusal.ts"
import type { KeyName } from "../engine/Directory.ts"
import type { Network } from "../money/Network.ts"
import { emit } from "../engine/emit.ts"
import { xpubEventData } from "./xpubEvent.ts"
import { indexMax, Xpub, XpubUse, xpubUseGroup } from "./Xpub.ts"
import { readGroup, readNewest, putRecord } from "../engine/Records.ts"

/** A key to register, checked for its network by whoever sends this. */
export interface RegisterXpub {
  readonly network: Network
  readonly xpub: string
  readonly canonical: string
  /** What the network calls the account of this key. */
  readonly accountName: KeyName
  readonly indexFrom: number
  readonly indexTo: number
}

/**
 * Makes an account's key the one that a network's addresses are derived from.
 *
 * **Details**
 *
 * Refused: a range that is none (`invalid_request`), a network that has a live key (`xpub_already_live`), an account that is another
 * tenant's on whichever network, or the service's own (`address_unavailable`; it stays its owner's for good, because indexes of it
 * were used), and a range of which
 * an earlier registration of the same key has used every index (`xpub_range_exhausted`). The range may be as wide as BIP 32
 * allows: an index costs nothing before it is derived. Indexes that the same key has used on this network before are never used
 * again, also when the new range begins below them.
 */
export const registerXpub = ({
  accountName,
  canonical,
  indexFrom,
  indexTo,
  network,
  xpub
}: RegisterXpub): Command<Xpub> => ({
  name: "RegisterXpub",
  reads: [readGroup(Xpub, network), readNewest(XpubUse, xpubUseGroup(network, canonical)), ...keyReads([accountName])],
  decide: (view) => {
    const whole = Number.isInteger(indexFrom) && Number.isInteger(indexTo)
    if (!whole || indexFrom < 0 || indexTo > indexMax || indexFrom > indexTo) {
      return Result.fail(
        new Refusal({
          code: "invalid_request",
          message: `index_from and index_to must be whole numbers with 0 ≤ index_from ≤ index_to ≤ ${indexMax}.`
        })
      )
    }
    if (view.group(Xpub, network)[0] !== undefined) {
      return Result.fail(
        new Refusal({ code: "xpub_already_live", message: `An xpub is live on ${network}; retire it first.` })
      )
    }
    if (keyAvailability(view, [accountName])._tag !== "Free") {
      return Result.fail(new Refusal({ code: "address_unavailable", message: "This account's key is not available." }))
    }
    const nextIndex = Math.max(indexFrom, view.newest(XpubUse, xpubUseGroup(network, canonical))?.nextIndex ?? 0)
    if (nextIndex > indexTo) {
      return Result.fail(
        new Refusal({
          code: "xpub_range_exhausted",
          message: `The indexes of this key below ${nextIndex} are used; the range has no other index.`,
          detail: { remaining: 0, next_index: nextIndex }
        })
      )
    }
    const record: Xpub = {
      id: view.newId(),
      tenantId: view.tenant.id,
      network,
      xpub,
      canonical,
      indexFrom,
      indexTo,
      nextIndex,
      retiredAt: null,
      createdAt: view.now
    }
    return Result.succeed({
      changes: [
        putRecord(Xpub, record),
        { _tag: "KeysClaimed", keys: [accountName], holder: "TENANT", by: record.id },
        emit(view, "xpub.registered", record.id, xpubEventData(record))
      ],
      reply: record
    })
  }
})
