import type { NetworkTraits } from "@bursar/core/money/Network"

/** Whether one transaction moves what waits on several addresses, so that deposits may be worth it together of which none is by itself. */
export const areMovedTogether = ({ accountModel, issues }: Pick<NetworkTraits, "accountModel" | "issues">): boolean =>
  accountModel === "utxo" || issues === "muxed"
