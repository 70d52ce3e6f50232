import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { Refusal } from "../base/Refusal.ts"
import type { Network } from "../money/Network.ts"
import {
  type PrederivedAddresses,
  prederivedReads,
  stale,
  reserveIndexes,
  issuedAddress
} from "./prederivedAddresses.ts"
import type { DepositAddress } from "./DepositAddress.ts"
import { Xpub } from "./Xpub.ts"
import { readGroup, putRecord } from "../engine/Records.ts"

/** How many addresses to derive, with those computed beforehand. */
export interface DeriveAddresses {
  readonly network: Network
  readonly reference: string
  readonly count: number
  /** The key that was seen to be live with addresses of it; null where none was seen. */
  readonly prederived: (PrederivedAddresses & { readonly xpubId: string }) | null
}

/** The addresses, and the key with the index that comes next. */
export interface DerivedAddresses {
  readonly xpub: Xpub
  readonly addresses: ReadonlyArray<DepositAddress>
}

/**
 * Registers the next `count` addresses of a network's live key under one reference; all or none.
 *
 * **Details**
 *
 * Refused: no live key (`no_live_xpub`), too few indexes left (`xpub_range_exhausted`), an address whose key is another tenant's
 * (`address_unavailable`). An address that the tenant watches already, or whose key the service holds, is passed over. `stale` where the candidates are not
 * the next ones.
 */
export const deriveAddresses = ({
  prederived,
  count,
  network,
  reference
}: DeriveAddresses): Command<DerivedAddresses> => ({
  name: "DeriveAddresses",
  reads: [readGroup(Xpub, network), ...(prederived === null ? [] : prederivedReads(network, prederived))],
  decide: (view) => {
    const live = view.group(Xpub, network)[0]
    if (live === undefined) {
      return Result.fail(new Refusal({ code: "no_live_xpub", message: `No xpub is live on ${network}.` }))
    }
    if (prederived?.xpubId !== live.id) return Result.fail(stale())
    const taken = reserveIndexes(view, network, prederived, { ...live, count, holder: "TENANT" })
    if (Result.isFailure(taken)) return Result.fail(taken.failure)
    const xpub: Xpub = { ...live, nextIndex: taken.success.nextIndex }
    const derived = taken.success.addresses.map(({ address, index, keys }) =>
      issuedAddress(
        view,
        {
          network,
          address,
          reference,
          origin: "DERIVED",
          xpubId: live.id,
          seedId: null,
          derivationIndex: index,
          sweepHold: null
        },
        keys
      )
    )
    return Result.succeed({
      changes: [putRecord(Xpub, xpub), ...derived.flatMap(({ changes }) => changes)],
      reply: { xpub, addresses: derived.map(({ record }) => record) }
    })
  }
})
