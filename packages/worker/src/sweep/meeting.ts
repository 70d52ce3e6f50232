import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { NetworkTraits } from "@bursar/core/money/Network"

/** Whether one transaction moves what waits on several addresses, so that deposits may be worth it together of which none is by itself. */
export const areMovedTogether = ({ accountModel, issues }: Pick<NetworkTraits, "accountModel" | "issues">): boolean =>
  accountModel === "utxo" || issues === "muxed"

/** The next moment at which all is looked at together that others may make worth it: else what came at different times would never meet. */
export const meetingAfter = (at: Timestamp, everyMs: number): Timestamp => (Math.floor(at / everyMs) + 1) * everyMs
