import type { ReplayGuard } from "@bursar/core/port/ChainSender"

/** What a guard uses up, each by a name. */
export const usesOf = (guard: ReplayGuard): ReadonlyArray<string> => {
  switch (guard._tag) {
    case "Sequence":
      return [`${guard.account}:${guard.sequence}`]
    case "Utxos":
      return guard.utxos.map(({ txHash, vout }) => `${txHash}:${vout}`)
    case "Expiry":
      return []
  }
}
