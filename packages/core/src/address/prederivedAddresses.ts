import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import { Refusal } from "../base/Refusal.ts"
import type { View } from "../engine/View.ts"
import type { Network } from "../money/Network.ts"
import { DepositAddress, serviceHoldsKey } from "./DepositAddress.ts"
import type { KeyedAddress } from "../engine/Directory.ts"
import type { KeyHolder, KeyName } from "../engine/Directory.ts"
import { keyReads, keyAvailability } from "./keyAvailability.ts"
import { readFact, putRecord } from "../engine/Records.ts"
import { networkHeight } from "./networkHeight.ts"
import { liveAddress } from "./owners.ts"

/**
 * Addresses computed before the command, outside of the tenant's lock, of the indexes from `from` on. The command checks
 * that they are the ones that are next; if not it is refused as `stale` and sent again with others.
 */
export interface PrederivedAddresses {
  readonly from: number
  /** Without a gap. */
  readonly addresses: ReadonlyArray<KeyedAddress>
}

/** The refusal of a command that was prepared from what is no longer so: nothing was decided, prepare it anew. */
export const stale = (): Refusal =>
  new Refusal({ code: "stale", message: "The addresses were computed from an index that is no longer the next." })

/** What choosing among candidates reads. */
export const prederivedReads = (network: Network, { addresses }: PrederivedAddresses): ReadonlyArray<Read> => [
  readFact(networkHeight, network),
  ...addresses.flatMap(({ address, keys }): ReadonlyArray<Read> => [
    { _tag: "LiveAddress", network, address },
    ...keyReads(keys)
  ])
]

/** The indexes taken, with their addresses, and the index after them. */
interface Taken {
  readonly nextIndex: number
  readonly addresses: ReadonlyArray<KeyedAddress & { readonly index: number }>
}

/**
 * Takes the next `count` addresses, or none. One that the tenant watches already is passed over and its index never used
 * again: it has its own reference; so is one whose key the tenant has handed over to the service. One whose key is another
 * tenant's refuses the whole (`address_unavailable`): somebody else claims to own what this key derives, and going around it
 * would hide that.
 */
export const reserveIndexes = (
  view: View,
  network: Network,
  prederived: PrederivedAddresses,
  {
    count,
    holder,
    indexTo,
    nextIndex
  }: {
    readonly nextIndex: number
    readonly indexTo: number
    readonly count: number
    /** Who is to hold the keys. */
    readonly holder: KeyHolder
  }
): Result.Result<Taken, Refusal> => {
  const remaining = Math.max(0, indexTo - nextIndex + 1)
  const exhausted = () =>
    Result.fail(
      new Refusal({
        code: "xpub_range_exhausted",
        message: `${remaining} of the key's indexes are left, and you asked for ${count} addresses.`,
        detail: { remaining }
      })
    )
  if (remaining < count) return exhausted()
  const addresses: Array<KeyedAddress & { readonly index: number }> = []
  let index = nextIndex
  for (; addresses.length < count; index++) {
    if (index > indexTo) return exhausted()
    const prederivedAddress = prederived.addresses[index - prederived.from]
    if (prederivedAddress === undefined) return Result.fail(stale())
    const live = liveAddress(view, network, prederivedAddress.address)
    const key = keyAvailability(view, prederivedAddress.keys)
    if (key._tag === "Unavailable" || (live !== undefined && live.record === undefined)) {
      return Result.fail(
        new Refusal({
          code: "address_unavailable",
          message: `The address at index ${index} is registered elsewhere; nothing was registered.`,
          detail: { derivation_index: index }
        })
      )
    }
    const handedOver = key._tag === "Held" && (holder === "TENANT" || key.record?.address === prederivedAddress.address)
    if (live === undefined && !handedOver) addresses.push({ index, ...prederivedAddress })
  }
  return Result.succeed({ nextIndex: index, addresses })
}

/** A new address of a key, watched from now on, with what puts it into the books. */
export const issuedAddress = (
  view: View,
  fields: Pick<
    DepositAddress,
    "network" | "address" | "reference" | "origin" | "xpubId" | "seedId" | "derivationIndex" | "sweepHold"
  >,
  keys: ReadonlyArray<KeyName>
): { readonly record: DepositAddress; readonly changes: ReadonlyArray<Change> } => {
  const record: DepositAddress = {
    ...fields,
    id: view.newId(),
    tenantId: view.tenant.id,
    watchFrom: view.now,
    watchFromBlock: null,
    registeredAtBlock: view.fact(networkHeight, fields.network) ?? null,
    retiredAt: null,
    createdAt: view.now,
    watchNowUntil: null,
    siblingOf: null,
    registrations: []
  }
  return {
    record,
    changes: newAddressChanges(record, keys)
  }
}

/** What puts a new address into the books: its record, its place in the directory, and its key for as long as it lives. */
export const newAddressChanges = (record: DepositAddress, keys: ReadonlyArray<KeyName>): ReadonlyArray<Change> => [
  putRecord(DepositAddress, record),
  { _tag: "AddressClaimed", network: record.network, address: record.address, addressId: record.id },
  { _tag: "KeysClaimed", keys, holder: serviceHoldsKey(record.origin) ? "SERVICE" : "TENANT", by: record.id }
]
