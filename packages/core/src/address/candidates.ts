import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import { Refusal } from "../engine/Refusal.ts"
import type { View } from "../engine/View.ts"
import type { Network } from "../money/Network.ts"
import type { DepositAddress } from "./DepositAddress.ts"

/**
 * Addresses computed before the command, outside of the tenant's lock, of the indexes from `from` on. The command checks
 * that they are the ones that are next; if not it is refused as `stale` and sent again with others.
 */
export interface Candidates {
  readonly from: number
  /** Canonical, without a gap. */
  readonly addresses: ReadonlyArray<string>
}

/** The refusal of a command that was prepared from what is no longer so: nothing was decided, prepare it anew. */
export const stale = (): Refusal =>
  new Refusal({ code: "stale", message: "The addresses were computed from an index that is no longer the next." })

/** What choosing among candidates reads. */
export const candidateReads = (network: Network, { addresses }: Candidates): ReadonlyArray<Read> => [
  { _tag: "Height", network },
  ...addresses.map((address): Read => ({ _tag: "LiveAddress", network, address }))
]

/** The indexes taken, with their addresses, and the index after them. */
interface Taken {
  readonly nextIndex: number
  readonly addresses: ReadonlyArray<{ readonly index: number; readonly address: string }>
}

/**
 * Takes the next `count` addresses, or none. One that the tenant watches already is passed over and its index never used
 * again: it has its own reference. One that another tenant watches refuses the whole (`address_unavailable`): somebody else
 * claims to own what this key derives, and going around it would hide that.
 */
export const takeNext = (
  view: View,
  network: Network,
  candidates: Candidates,
  { count, indexTo, nextIndex }: { readonly nextIndex: number; readonly indexTo: number; readonly count: number }
): Result.Result<Taken, Refusal> => {
  const remaining = Math.max(0, indexTo - nextIndex + 1)
  const exhausted = () =>
    Result.fail(
      new Refusal({
        code: "xpub_range_exhausted",
        message: `${remaining} of the key's indexes are left, and ${count} addresses were asked for.`,
        detail: { remaining }
      })
    )
  if (remaining < count) return exhausted()
  const addresses: Array<{ readonly index: number; readonly address: string }> = []
  let index = nextIndex
  for (; addresses.length < count; index++) {
    if (index > indexTo) return exhausted()
    const address = candidates.addresses[index - candidates.from]
    if (address === undefined) return Result.fail(stale())
    const live = view.liveAddress(network, address)
    if (live === undefined) addresses.push({ index, address })
    else if (live.record === undefined) {
      return Result.fail(
        new Refusal({
          code: "address_unavailable",
          message: `The address at index ${index} is registered elsewhere; none was taken.`,
          detail: { derivation_index: index }
        })
      )
    }
  }
  return Result.succeed({ nextIndex: index, addresses })
}

/** A new address of a key, watched from now on, with what puts it into the books. */
export const takenAddress = (
  view: View,
  fields: Pick<
    DepositAddress,
    "network" | "address" | "reference" | "origin" | "xpubId" | "seedId" | "derivationIndex" | "sweepHold"
  >
): { readonly record: DepositAddress; readonly changes: ReadonlyArray<Change> } => {
  const record: DepositAddress = {
    ...fields,
    id: view.newId(),
    tenantId: view.tenant.id,
    watchFrom: view.now,
    watchFromBlock: null,
    registeredAtBlock: view.height(fields.network) ?? null,
    retiredAt: null,
    createdAt: view.now,
    watchNowUntil: null,
    siblingOf: null
  }
  return {
    record,
    changes: [
      { _tag: "AddressPut", address: record },
      { _tag: "AddressClaimed", network: record.network, address: record.address, addressId: record.id }
    ]
  }
}
