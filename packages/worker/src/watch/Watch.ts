import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { Fence } from "@bursar/core/engine/fenced"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { ChainReader } from "@bursar/core/port/Chain"
import type { NetworkAdapter, NetworkKeys } from "@bursar/core/port/NetworkAdapter"
import type { BlockOrder } from "@bursar/core/port/Quarantine"
import type { MempoolWatch } from "./MempoolWatch.ts"
import type { SecondNode } from "./secondNode/SecondNode.ts"
import type { RecentBlocks } from "./RecentBlocks.ts"
import type { WatchLimits } from "./WatchLimits.ts"

/** An order for a block that could not be carried out, as often as that, and when it has its turn again. */
export interface FailingOrder {
  readonly order: BlockOrder
  readonly failures: number
  readonly dueAt: Timestamp
}

/** What one term of leadership over a network works with. */
export interface Watch {
  readonly chain: ChainReader
  readonly accountOf: NetworkAdapter["accountOf"]
  readonly keysOf: NetworkKeys["keysOf"]
  readonly fence: Fence
  readonly currencies: CurrencyTable
  readonly limits: WatchLimits
  readonly recent: RecentBlocks
  /** What waits for a block, where the network's reader can tell. */
  readonly mempool: MempoolWatch | undefined
  /** What needs the word of a second node; undefined where nothing does. */
  readonly secondNode: SecondNode | undefined
  /** The newest block when this term first heard of one that is recent; null before. */
  readonly begun: { at: number | null }
  /** How much waited in the last pass for what came before it, or for a block that the node does not give: it must not keep others from their turn. */
  readonly waiting: { deposits: number; wallets: number }
  /** How often blocks were read of which something could not be, by hash, since the watcher last caught up. */
  readonly unreadTries: Map<string, number>
  /** When each of the backfills that could not be read the last time has its turn again, by id. */
  readonly failingBackfills: Map<string, number>
  /** The orders for blocks behind the cursor that could not be carried out the last time, by height. */
  readonly failingOrders: Map<number, FailingOrder>
  /** When each address that is to be watched now was last read again, by its id. */
  readonly reread: Map<string, number>
}
