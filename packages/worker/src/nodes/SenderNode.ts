import type { ChainReader } from "@bursar/core/port/Chain"
import type { ChainSender } from "@bursar/core/port/ChainSender"

/** A node of a network, as it is read and written to. */
export interface SenderNode {
  /** Fails, whatever it is asked, while it is not certain that its node is of the right chain. */
  readonly reader: ChainReader
  readonly sender: ChainSender
  /** Who runs it; named for all nodes of a network or for none. */
  readonly operator?: string | undefined
}
