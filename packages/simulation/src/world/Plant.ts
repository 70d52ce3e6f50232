import type { Command } from "@bursar/core/engine/Command"
import type { Custodian } from "@bursar/core/port/Custodian"
import type { Deliveries } from "@bursar/core/port/Deliveries"
import type { FiatProvider } from "@bursar/core/port/FiatProvider"
import type { IdentityProvider } from "@bursar/core/port/IdentityProvider"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import type { Prices } from "@bursar/core/port/Prices"
import type { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import type { WorldNetwork } from "../outside/WorldNetwork.ts"
import type { KeptGrants } from "@bursar/signer/KeptGrants"
import type { SignerDisk } from "@bursar/signer/store/SignerDisk"
import type { SignerStore } from "@bursar/signer/store/SignerStore"

/** The nodes of a network, as one process reaches them. */
type Nodes = ReturnType<WorldNetwork["reachedBy"]>

/** A mistake that is put into a service, between its parts, to see whether the judges find it. */
export interface Plant {
  readonly command?: <A>(command: Command<A>) => Command<A>
  readonly network?: (adapter: NetworkAdapter) => NetworkAdapter
  /** The adapter over several nodes, which has them asked as it should. */
  readonly nodes?: (nodes: Nodes, pooled: NetworkAdapter) => NetworkAdapter
  readonly custodian?: (custodian: Custodian["Service"]) => Custodian["Service"]
  readonly fiat?: (bank: FiatProvider["Service"]) => FiatProvider["Service"]
  readonly identity?: (verifier: IdentityProvider["Service"]) => IdentityProvider["Service"]
  readonly prices?: (prices: Prices["Service"]) => Prices["Service"]
  readonly signer?: (signer: TransactionSigner["Service"]) => TransactionSigner["Service"]
  /** What a signer of its own takes the grants to say, what it remembers, and where. */
  readonly grants?: (grants: KeptGrants) => KeptGrants
  readonly store?: (store: SignerStore) => SignerStore
  readonly disk?: (disk: SignerDisk) => SignerDisk
  readonly deliveries?: (deliveries: Deliveries["Service"]) => Deliveries["Service"]
  /** Whether each term of a leadership has an epoch of its own; it has where this is absent. */
  readonly epochsRise?: boolean
}

/** A service as it is. */
export const nothingPlanted: Plant = {}
