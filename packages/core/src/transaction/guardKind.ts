import type { AccountModel, NetworkTraits } from "../money/Network.ts"
import type { ReplayGuard } from "../port/ChainSender.ts"

const kinds: Readonly<Record<AccountModel, ReplayGuard["_tag"]>> = {
  nonce: "Sequence",
  sequence: "Sequence",
  utxo: "Utxos",
  expiry: "Expiry"
}

/** What the transactions of a network use up, so that no two can both take effect. */
export const guardKind = ({ accountModel }: Pick<NetworkTraits, "accountModel">): ReplayGuard["_tag"] =>
  kinds[accountModel]
