import type { Rate } from "@bursar/core/money/Rate"
import type { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import type { Fenced } from "@bursar/core/port/Leadership"
import type { Effect } from "effect"
import type { Places } from "../queue/places.ts"
import type { UnderWay } from "../queue/underWay.ts"
import type { Accounts } from "../transactions/Accounts.ts"
import type { Send } from "../transactions/Send.ts"
import type { SweepLimits } from "./SweepLimits.ts"

/** What one term of leadership sweeps with. */
export interface Sweeping {
  readonly send: Send
  readonly limits: SweepLimits
  /** What one whole unit of a currency is worth in US dollars, null where that is not known. */
  readonly usd: (currency: string) => Effect.Effect<Rate | null>
}

/** What one term works on. */
export interface SweepWork {
  readonly underWay: UnderWay<Fenced>
  /** Sweeps that are open have places of their own: what is to be swept next must not keep them waiting. */
  readonly places: Readonly<Record<"following" | "looking", Places>>
  /** Told whenever something came further. */
  readonly isDone: Effect.Effect<void>
}

/** What waits on one address. */
export interface Waiting {
  readonly addressId: string
  readonly address: string
  /** Who pays on the chain: the address, on stellar the account that it is a part of. */
  readonly account: string
  readonly sweepables: ReadonlyArray<SweepableDeposit>
}

/** The accounts of a tenant on the network: its wallet is where everything goes. */
export interface Wallets extends Accounts {
  readonly tenantId: TenantId
}
