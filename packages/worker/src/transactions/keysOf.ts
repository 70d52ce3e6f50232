import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import type { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { Queries } from "@bursar/core/store/Queries"
import type { KeyedAddress } from "@bursar/core/port/TransactionSigner"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { sweepKeys } from "./sweepKeys.ts"
import { walletKey } from "./walletKey.ts"
import type { OwnedTransaction, Send } from "./Send.ts"

/** The accounts of an outbound transaction that nobody asked to be paid, as they are the tenant's own. */
const ownOf = ({ from, payments }: OutboundTransaction): ReadonlyArray<string> => [
  from,
  ...payments.filter(({ operationId }) => operationId === null).map(({ to }) => to)
]

/** The keys of an account that agrees to something, or is given what it needs: of a wallet, or that addresses are issued from. */
const setUp = Effect.fnUntraced(function* ({ traits }: Send, { transaction, tenantId }: OwnedTransaction) {
  const { network } = transaction
  const queries = yield* Queries
  const own = ownOf(transaction)
  const wallets = yield* queries.records(tenantId, PayoutWallet, network)
  const issuing = yield* queries.issuingAccount(tenantId, traits.family)
  const issuer: ReadonlyArray<KeyedAddress> =
    issuing === undefined || !own.includes(issuing.accountKey)
      ? []
      : [
          {
            address: issuing.accountKey,
            key: { _tag: "Issued", tenantId, seedId: issuing.seedId, network, index: 0 }
          }
        ]
  return [
    ...wallets.filter(({ address }) => own.includes(address)).flatMap((wallet) => walletKey(tenantId, wallet)),
    ...issuer
  ]
})

/** How many wallets a sender remembers. */
const walletsMax = 10_000

/** The key of a payout wallet. */
const rememberedKey = Effect.fnUntraced(function* ({ wallets }: Send, tenantId: TenantId, id: string) {
  const known = wallets.get(id)
  if (known?.key.tenantId === tenantId) return [known]
  const wallet = yield* (yield* Queries).record(tenantId, PayoutWallet, id)
  if (wallet === undefined) return []
  const [found] = walletKey(tenantId, wallet)
  if (found === undefined) return []
  if (wallets.size >= walletsMax) wallets.clear()
  wallets.set(id, found)
  return [found]
})

/**
 * The tenant's own keys that an outbound transaction concerns: of the wallet that pays, of the one that lends its number, and of accounts that it
 * sets up; of addresses that it sweeps or gives coin to.
 */
export const keysOf = Effect.fn("send.keysOf")(function* (send: Send, owned: OwnedTransaction) {
  const { transaction, tenantId } = owned
  const ids = [...new Set([transaction.walletId, transaction.counterId].filter((id) => id !== null))]
  const paying = (yield* Effect.forEach(ids, (id) => rememberedKey(send, tenantId, id))).flat()
  const sets =
    send.sender.planner.provisioner !== undefined &&
    (transaction.purpose === "PROVISIONING" || transaction.purpose === "CHANNEL" || transaction.purpose === "TOP_UP")
  const swept = yield* sweepKeys(send, owned)
  return [...paying, ...(sets ? yield* setUp(send, owned) : []), ...swept]
})
