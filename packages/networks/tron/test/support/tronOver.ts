import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { tronNetwork, type TronNetworkSettings } from "@bursar/tron"

/** Tron over a node, with other settings where a test wants them. */
export const tronOver =
  (node: Pick<TronNetworkSettings, "contracts" | "genesisBlockId" | "nodeUrl">) =>
  (settings: Partial<TronNetworkSettings>) =>
    tronNetwork({ traits: presetNetworks.of("tron"), ...node, ...settings })
