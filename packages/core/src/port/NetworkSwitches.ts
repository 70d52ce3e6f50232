import { Context, type Effect } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import { defineRecord } from "../engine/Records.ts"
import type { Network } from "../money/Network.ts"
import type { StorageError } from "../engine/StorageError.ts"

/** Whether chain payouts of anybody are made on a network, or orders are sent to a provider, and who said so. */
export interface NetworkSwitch {
  /** The network, or the place of the provider, such as `custodian:kraken`. */
  readonly network: Network
  readonly payoutsOff: boolean
  /** Why they are off, in words for operators; null where they are on. */
  readonly reason: string | null
  readonly changedBy: string
  readonly changedAt: Timestamp
}

/** Switches by their networks. They stand under the fleet (`fleetTenantId`), where a grant that stops a network is appended, too. */
export const NetworkSwitch = defineRecord<NetworkSwitch>({ name: "NetworkSwitch", key: ({ network }) => network })

/** What operators have switched for everybody, in every process at once. A network that nobody ever switched is on, and not listed. */
export class NetworkSwitches extends Context.Service<
  NetworkSwitches,
  {
    readonly all: Effect.Effect<ReadonlyArray<NetworkSwitch>, StorageError>
  }
>()("@bursar/core/port/NetworkSwitches") {}
