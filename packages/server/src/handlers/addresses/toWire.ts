import type { DepositAddress } from "@bursar/api/wire/DepositAddress"
import type { DepositAddress as Record } from "@bursar/core/address/DepositAddress"
import { isSwept } from "@bursar/core/sweep/isSwept"
import { toIso } from "@bursar/core/base/Timestamp"
import type { Network, NetworkTable } from "@bursar/core/money/Network"
import { Networks } from "@bursar/core/port/Networks"
import { Effect } from "effect"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { isoOrNull } from "../../wire/moment.ts"
import { sourceName } from "../../wire/sourceName.ts"

/** What the wire form of an address depends on besides the address. */
export interface AddressContext {
  readonly serviceName: string
  readonly enabled: ReadonlyArray<Network>
  readonly networks: NetworkTable
}

/** The same for every address of the service. */
export const addressContext = Effect.gen(function* () {
  const { currencies, serviceName } = yield* ServerConfig
  const { enabled } = yield* Networks
  return { serviceName, enabled, networks: currencies.networks } satisfies AddressContext
})

/** Whether it is swept now: on a network that is off nobody does. */
const sweeps = (record: Record, { enabled, networks }: AddressContext): boolean | null => {
  const swept = isSwept(record, networks)
  return swept && enabled.includes(record.network)
}

const watchedNetworks = (
  { network, retiredAt }: Record,
  { enabled, networks }: AddressContext
): ReadonlyArray<Network> => {
  // one that was taken out of the configuration, or is off, is watched by nobody
  if (retiredAt !== null || !networks.has(network)) return []
  const siblings = networks.siblings(network)
  return enabled.filter((one) => siblings.includes(one))
}

/** An address as partners see it. */
export const toWire = (record: Record, context: AddressContext): DepositAddress => ({
  id: record.id,
  network: record.network,
  address: record.address,
  reference: record.reference,
  source: sourceName(record.origin, context.serviceName),
  xpub_id: record.xpubId,
  seed_id: record.seedId,
  derivation_index: record.derivationIndex,
  watch_from: toIso(record.watchFrom),
  watch_from_block: record.watchFromBlock,
  sweep_held_at: isoOrNull(record.sweepHold?.heldAt),
  sweep_hold_reason: record.sweepHold?.reason ?? null,
  sweep_hold_kind: record.sweepHold?.kind ?? null,
  retired_at: isoOrNull(record.retiredAt),
  created_at: toIso(record.createdAt),
  watch_now_until: isoOrNull(record.watchNowUntil),
  sweeps_enabled: sweeps(record, context),
  watched_networks: watchedNetworks(record, context),
  sibling_of: record.siblingOf
})
