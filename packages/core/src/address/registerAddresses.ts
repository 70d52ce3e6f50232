import { keyReads, keyAvailability } from "./keyAvailability.ts"
import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import type { Read } from "../engine/Read.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { View } from "../engine/View.ts"
import type { Network, NetworkTable } from "../money/Network.ts"
import { newAddressChanges } from "./prederivedAddresses.ts"
import { Backfill, DepositAddress, type NamedRegistration } from "./DepositAddress.ts"
import type { KeyedAddress } from "../engine/Directory.ts"
import { networkHeight } from "./networkHeight.ts"
import { isPut, putRecord, readFact, readGroup } from "../engine/Records.ts"
import { liveAddress } from "./owners.ts"

/** An address to register, in the network's canonical form. */
export interface AddressItem extends KeyedAddress {
  readonly _tag: "Valid"
  readonly network: Network
  readonly reference: string
  readonly watchFrom: Timestamp | null
  readonly watchFromBlock: number | null
}

/** Why one item of a registration was not taken; the other items are not affected. */
export interface ItemRefusal {
  readonly _tag: "Refused"
  readonly code:
    | "product_not_enabled"
    | "unknown_network"
    | "address_invalid"
    | "address_unavailable"
    | "invalid_request"
  readonly message: string
}

/** How one item of a registration ended. */
export type ItemResult =
  | { readonly status: "registered" | "existing"; readonly address: DepositAddress }
  | { readonly status: "refused"; readonly refusal: ItemRefusal }

/** How far ahead of the service's clock a `watch_from` may lie before it is taken for a mistake. */
const clockSkewMs = 60_000

const refused = (code: ItemRefusal["code"], message: string): ItemResult => ({
  status: "refused",
  refusal: { _tag: "Refused", code, message }
})

/**
 * A new record. Where the service holds the key for this tenant, since it took the same address on this network or on another
 * one, what arrives is the service's to keep here too, whoever asks for the watch.
 */
const register = (
  view: View,
  item: AddressItem,
  held: DepositAddress | undefined
): { readonly record: DepositAddress; readonly changes: ReadonlyArray<Change> } => {
  const height = view.fact(networkHeight, item.network)
  const record: DepositAddress = {
    id: view.newId(),
    tenantId: view.tenant.id,
    network: item.network,
    address: item.address,
    reference: item.reference,
    origin: held?.origin ?? "REGISTERED",
    xpubId: held?.xpubId ?? null,
    seedId: held?.seedId ?? null,
    derivationIndex: held?.derivationIndex ?? null,
    watchFrom: item.watchFrom ?? view.now,
    watchFromBlock: item.watchFromBlock,
    registeredAtBlock: height ?? null,
    sweepHold: held?.sweepHold ?? null,
    retiredAt: null,
    createdAt: view.now,
    watchNowUntil: null,
    siblingOf: held === undefined || held.network === item.network ? null : held.id,
    registrations: []
  }
  return {
    record,
    changes: newAddressChanges(record, item.keys)
  }
}

/** One reading of the past per network, time and block that the new addresses ask for. */
const backfills = (
  view: View,
  registered: ReadonlyArray<readonly [AddressItem, DepositAddress]>
): ReadonlyArray<Backfill> => {
  const jobs = new Map<string, Backfill>()
  for (const [item, { address, network }] of registered) {
    if (item.watchFrom === null && item.watchFromBlock === null) continue
    const key = `${network}|${item.watchFromBlock ?? ""}|${item.watchFromBlock === null ? item.watchFrom : ""}`
    const job = jobs.get(key)
    jobs.set(key, {
      id: job?.id ?? view.newId(),
      tenantId: view.tenant.id,
      network,
      addresses: [...(job?.addresses ?? []), address],
      fromBlock: item.watchFromBlock,
      fromTime: item.watchFrom ?? view.now,
      createdAt: view.now
    })
  }
  return [...jobs.values()]
}

/** A request that counts for nothing, named by a record of an address. */
export interface Replaceable {
  readonly addressId: string
  readonly registrationId: string
}

/** Among what a signed request registers addresses. */
export interface SignedAmong {
  readonly networks: NetworkTable
  /** The key that has signed it. */
  readonly keyid: string
  /** The requests that count for nothing among those that the tenant's records of the addresses name (`ShownAddresses.replaceable`). */
  readonly replaceable: ReadonlyArray<Replaceable>
}

/**
 * What the tenant has registered of the addresses before, on sibling networks too and retired, each once, and what no request of this key that counts
 * stands behind. Events and deposits of then go on to be shown by it. What names requests that count keeps them: any of the keys may be revoked soon,
 * by a grant that goes back to when it was proposed, and what another one has signed must stand behind it then. Of one key, the first request counts
 * whenever a later one does.
 */
const registeredBefore = (
  view: View,
  items: ReadonlyArray<AddressItem | ItemRefusal>,
  { keyid, networks, replaceable }: SignedAmong
): Array<Change> => {
  const gone = Map.groupBy(replaceable, ({ addressId }) => addressId)
  const stillNamed = ({ id, registrations }: DepositAddress) =>
    registrations.filter((named) => gone.get(id)?.some(({ registrationId }) => registrationId === named.id) !== true)
  const records = new Map<string, DepositAddress>()
  for (const item of items) {
    if (item._tag === "Refused") continue
    const same = networks.siblings(item.network)
    for (const one of view.group(DepositAddress, item.address)) {
      if (one.origin !== "REGISTERED" || !same.includes(one.network)) continue
      const registrations = stillNamed(one)
      if (registrations.some((named) => named.keyid === keyid)) continue
      records.set(one.id, { ...one, registrations })
    }
  }
  return [...records.values()].map((one) => putRecord(DepositAddress, one))
}

/**
 * Registers addresses whose keys the tenant keeps. Each item ends on its own: `registered`, `existing` (the tenant
 * already watches it; nothing changes), or `refused`. Items that were refused before they came here keep their refusal.
 * A key has one owner on all networks and in all forms of its addresses: another tenant's is `address_unavailable`, as are a key that
 * the service pays from and another form of a key that it holds. Replies with the results in order. Where the request is signed, what the
 * tenant has of its addresses and no request of its key that counts stands behind is written again, so that it names this one (`registeredBefore`,
 * `signedIdempotent`).
 */
export const registerAddresses = (
  items: ReadonlyArray<AddressItem | ItemRefusal>,
  signed?: SignedAmong
): Command<ReadonlyArray<ItemResult>> => ({
  name: "RegisterAddresses",
  reads: items.flatMap((item): ReadonlyArray<Read> =>
    item._tag === "Refused"
      ? []
      : [
          { _tag: "LiveAddress", network: item.network, address: item.address },
          readFact(networkHeight, item.network),
          ...keyReads(item.keys),
          ...(signed === undefined ? [] : [readGroup(DepositAddress, item.address)])
        ]
  ),
  decide: (view) => {
    const changes: Array<Change> = signed === undefined ? [] : registeredBefore(view, items, signed)
    const registered: Array<readonly [AddressItem, DepositAddress]> = []
    const here = new Map<string, DepositAddress>()
    const results = items.map((item): ItemResult => {
      if (item._tag === "Refused") return { status: "refused", refusal: item }
      const key = `${item.network}|${item.address}`
      const live = liveAddress(view, item.network, item.address)
      const existing = here.get(key) ?? live?.record
      if (existing !== undefined) return { status: "existing", address: existing }
      const standing = keyAvailability(view, item.keys)
      const held = standing._tag === "Held" ? standing.record : undefined
      const otherForm = standing._tag === "Held" && held?.address !== item.address
      if (live !== undefined || standing._tag === "Unavailable" || otherForm)
        return refused("address_unavailable", "This address is not available.")
      if (item.watchFrom !== null && item.watchFrom > view.now + clockSkewMs) {
        return refused("invalid_request", "watch_from lies in the future.")
      }
      const { changes: added, record } = register(view, item, held)
      changes.push(...added)
      registered.push([item, record])
      here.set(key, record)
      return { status: "registered", address: record }
    })
    for (const backfill of backfills(view, registered)) changes.push(putRecord(Backfill, backfill))
    return Result.succeed({ changes, reply: results })
  }
})

/** The changes of a registration, with the kept request named by the addresses that follow from nothing else, after those that they name. */
export const namedByRequest = (
  changes: ReadonlyArray<Change>,
  { id, keyid }: NamedRegistration
): ReadonlyArray<Change> =>
  changes.map((change) =>
    isPut(DepositAddress, change) && change.record.origin === "REGISTERED"
      ? putRecord(DepositAddress, {
          ...change.record,
          registrations: [...change.record.registrations, { id, keyid }]
        })
      : change
  )
