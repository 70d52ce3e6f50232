import type { Timestamp } from "@bursar/core/base/Timestamp"
import { subjectOf, AddressProof } from "@bursar/core/address/AddressProof"
import { DepositAddress, serviceHoldsKey } from "@bursar/core/address/DepositAddress"
import { Deposit } from "@bursar/core/deposit/Deposit"
import type { DepositStatus } from "@bursar/core/deposit/DepositMachine"
import { addressKey } from "@bursar/core/engine/Directory"
import type { KeyFamily, Network } from "@bursar/core/money/Network"
import type { BackfillJob, Owned } from "@bursar/core/store/WatchState"
import { WalletTransfer } from "@bursar/core/deposit/WalletTransfer"
import { byAge } from "./byAge.ts"
import { recordsOf, type State } from "./Store.ts"

/** The live record of an address on a network, whoever owns it. */
export const liveOn = (state: State, network: Network, address: string): DepositAddress | undefined => {
  const owner = state.directory.get(addressKey(network, address))
  const tenant = owner === undefined ? undefined : state.tenants.get(owner.tenantId)
  return owner === undefined || tenant === undefined
    ? undefined
    : recordsOf(tenant, DepositAddress).get(owner.addressId)
}

/** The wallet that has an address on a network, whoever owns it. */
export const walletOn = (state: State, network: Network, address: string): Owned | undefined => {
  const entry = state.directory.get(addressKey(network, address))
  if (entry?.wallet !== true) return undefined
  const { addressId, tenantId } = entry
  return { tenantId, addressId, network, address, wallet: true }
}

/** The addresses that stand in the directory on some networks, each once, in order. */
export const addressesOn = (state: State, networks: ReadonlyArray<Network>): ReadonlyArray<string> => {
  const found = [...state.directory.keys()].flatMap((key) =>
    networks.flatMap((network) => (key.startsWith(addressKey(network, "")) ? [key.slice(network.length + 1)] : []))
  )
  return [...new Set(found)].toSorted()
}

/** The arrivals at wallets of a network with some statuses, of all tenants. */
export const walletTransfers = (
  state: State,
  network: Network,
  statuses: ReadonlyArray<WalletTransfer["status"]>
): Array<WalletTransfer> =>
  [...state.tenants.values()]
    .flatMap((tenant) => [...recordsOf(tenant, WalletTransfer).values()])
    .filter((incomingTransfer) => incomingTransfer.network === network && statuses.includes(incomingTransfer.status))
    .toSorted((one, other) => one.block.number - other.block.number)

/** The addresses of some networks, live and retired, of all tenants. */
export const recordsOn = (state: State, networks: ReadonlyArray<Network>): ReadonlyArray<DepositAddress> =>
  [...state.tenants.values()]
    .flatMap((tenant) => [...recordsOf(tenant, DepositAddress).values()])
    .filter(({ network }) => networks.includes(network))

/** The live addresses of some networks, of all tenants. */
export const live = (state: State, networks: ReadonlyArray<Network>): ReadonlyArray<DepositAddress> =>
  recordsOn(state, networks).filter(({ retiredAt }) => retiredAt === null)

const provenAt = (state: State, family: KeyFamily, record: DepositAddress): number => {
  const tenant = state.tenants.get(record.tenantId)
  const subject = subjectOf(record, family)
  const proof = tenant === undefined || subject === undefined ? undefined : recordsOf(tenant, AddressProof).get(subject)
  return proof?.provenAt ?? Number.NEGATIVE_INFINITY
}

/** Whether the key of a retired address is another tenant's by now: the service holds it for that tenant, or it was proven later. */
export const isAnothers = (
  state: State,
  family: KeyFamily,
  networks: ReadonlyArray<Network>,
  record: DepositAddress
): boolean =>
  recordsOn(state, networks).some(
    (other) =>
      other.address === record.address &&
      other.tenantId !== record.tenantId &&
      (serviceHoldsKey(other.origin) || provenAt(state, family, other) > provenAt(state, family, record))
  )

/** A live address as a watcher finds it. */
export const owned = ({ address, id, network, tenantId }: DepositAddress): Owned => ({
  tenantId,
  addressId: id,
  network,
  address
})

/** The deposits of a network with some statuses, of all tenants. */
export const deposits = (state: State, network: Network, statuses: ReadonlyArray<DepositStatus>): Array<Deposit> =>
  [...state.tenants.values()]
    .flatMap((tenant) => [...recordsOf(tenant, Deposit).values()])
    .filter((deposit) => deposit.network === network && statuses.includes(deposit.status))

/** Whether a backfill has been read to its end. */
export const finished = ({ lastBlock, nextBlock }: BackfillJob): boolean =>
  nextBlock !== null && lastBlock !== null && nextBlock > lastBlock

/** Whether a backfill is still to be read. */
export const isOpen = (job: BackfillJob): boolean => !finished(job) && job.ended === null

const waitingSince = ({ createdAt, dueAt }: BackfillJob): Timestamp => dueAt ?? createdAt

const byWaiting = (one: BackfillJob, other: BackfillJob): number =>
  waitingSince(one) - waitingSince(other) || byAge(one, other)

/** The unfinished backfills of a network that are not put off, each tenant's in turn, those waiting longest first. */
export const dueBackfills = (state: State, network: Network, now: Timestamp): ReadonlyArray<BackfillJob> => {
  const due = [...state.backfills.values()]
    .filter((job) => job.network === network && isOpen(job) && waitingSince(job) <= now)
    .toSorted(byWaiting)
  const turns = new Map<string, number>()
  const inTurn = due.map((job) => {
    const turn = turns.get(job.tenantId) ?? 0
    turns.set(job.tenantId, turn + 1)
    return { job, turn }
  })
  return inTurn.toSorted((one, other) => one.turn - other.turn).map(({ job }) => job)
}
