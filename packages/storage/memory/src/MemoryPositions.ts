import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { Deposit } from "@bursar/core/deposit/Deposit"
import { WalletTransfer } from "@bursar/core/deposit/WalletTransfer"
import type { AssetAccount } from "@bursar/core/ledger/Account"
import { shortfallOf } from "@bursar/core/ledger/Account"
import type { Network } from "@bursar/core/money/Network"
import { Operation, type OperationKind } from "@bursar/core/operation/Operation"
import { isOver } from "@bursar/core/operation/OperationMachine"
import { type HeldAddress, type PlaceBalance, Positions } from "@bursar/core/reconciliation/Positions"
import { Sweep } from "@bursar/core/sweep/Sweep"
import { SweepableDeposit, sweepableKey } from "@bursar/core/sweep/SweepableDeposit"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { attemptKey, TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { Array as Arr, BigInt as Big, Effect, Layer } from "effect"
import { compareText } from "./byAge.ts"
import { recordsOf, type State, Store, type TenantRecords } from "./Store.ts"

const balancesOf = (
  tenants: ReadonlyArray<TenantRecords>,
  accounts: ReadonlyArray<AssetAccount>
): ReadonlyArray<PlaceBalance> => {
  const sums = new Map<string, PlaceBalance>()
  for (const account of accounts) {
    for (const { balances } of tenants) {
      for (const { account: of, currency, units } of balances.values()) {
        if (of !== account && of !== shortfallOf(account)) continue
        const key = `${account}|${currency}`
        sums.set(key, { account, currency, units: (sums.get(key)?.units ?? 0n) + units })
      }
    }
  }
  return [...sums].toSorted(([one], [other]) => compareText(one, other)).map(([, balance]) => balance)
}

const heldAddresses = (state: State, networks: ReadonlyArray<Network>): ReadonlyArray<HeldAddress> => {
  const held = new Map<string, HeldAddress>()
  for (const tenant of state.tenants.values()) {
    for (const { address, network, origin } of recordsOf(tenant, DepositAddress).values()) {
      if (networks.includes(network) && (origin === "ISSUED" || origin === "IMPORTED") && !held.has(address))
        held.set(address, { address, place: "deposits" })
    }
    for (const { address, network } of recordsOf(tenant, PayoutWallet).values())
      if (networks.includes(network)) held.set(address, { address, place: "payouts" })
  }
  return [...held.values()].toSorted((one, other) => compareText(one.address, other.address))
}

const depositsOf = (tenant: TenantRecords, network: Network, above: number) =>
  [...recordsOf(tenant, Deposit).values()].flatMap((deposit) => {
    const { addressId, block, creditedBy, status } = deposit
    const origin = recordsOf(tenant, DepositAddress).get(addressId)?.origin
    if (deposit.network !== network || status === "REORGED" || block === null) return []
    if (origin !== "ISSUED" && origin !== "IMPORTED") return []
    const booked = recordsOf(tenant, SweepableDeposit).get(sweepableKey(deposit))?.bookedBy ?? null
    const isBooked = creditedBy !== null || booked !== null
    return !isBooked || block.number > above ? [{ deposit, isBooked }] : []
  })

const transfersOf = (tenant: TenantRecords, network: Network, above: number) =>
  [...recordsOf(tenant, WalletTransfer).values()].flatMap((transfer) => {
    const { block, bookedBy, status, txHash } = transfer
    if (transfer.network !== network || status === "REORGED") return []
    if (status !== "DETECTED" && block.number <= above) return []
    // what a transaction of its own brought is in the books with that transaction, or will be
    if (recordsOf(tenant, TransactionAttempt).has(attemptKey(network, txHash))) return []
    return [{ transfer, isBooked: bookedBy !== null }]
  })

const transactionsOf = (tenant: TenantRecords, network: Network, above: number) =>
  [...recordsOf(tenant, OutboundTransaction).values()].flatMap((transaction) => {
    const { blockNumber, phase } = transaction
    if (transaction.network !== network || phase === "RESERVED") return []
    if (phase === "FINAL" && (blockNumber === null || blockNumber <= above)) return []
    return [{ transaction, tenantId: tenant.head.tenant.id }]
  })

const sumOf = (all: ReadonlyArray<bigint>): bigint => all.reduce((sum, units) => sum + units, 0n)

/** What is left of each top-up of some addresses: what moved other assets with it has spent some. */
const givenLeft = (
  tenant: TenantRecords,
  isTheirs: (sweep: Pick<Sweep, "addressId" | "network">) => boolean
): ReadonlyArray<bigint> => {
  const transactions = recordsOf(tenant, OutboundTransaction)
  const spent = (id: string | null): bigint => {
    const move = id === null ? undefined : transactions.get(id)
    return move?.phase === "FINAL" ? (move.fee ?? 0n) : 0n
  }
  const sweeps = [...recordsOf(tenant, Sweep).values()].filter(
    (one) => one.topUpTransactionId !== null && isTheirs(one)
  )
  const byTopUp = Arr.groupBy(sweeps, ({ topUpTransactionId }) => topUpTransactionId ?? "")
  return Object.entries(byTopUp).map(([topUp, some]) => {
    const moves = some.flatMap((one) => (one.contract === null ? [] : [one.sweepTransactionId]))
    const given = sumOf((transactions.get(topUp)?.payments ?? []).map(({ units }) => units))
    return Big.max(given - sumOf([...new Set(moves)].map(spent)), 0n)
  })
}

const movableOf = (
  tenant: TenantRecords,
  { currency, isNative, network }: Parameters<Positions["Service"]["movable"]>[0]
): bigint => {
  const addresses = recordsOf(tenant, DepositAddress)
  const isImported = ({ addressId, network: of }: Pick<SweepableDeposit, "addressId" | "network">) =>
    of === network && addresses.get(addressId)?.origin === "IMPORTED"
  const sweeps = recordsOf(tenant, Sweep)
  const sweepable = recordsOf(tenant, SweepableDeposit)
  const counts = ({ gone, sweepId }: SweepableDeposit) => !gone || sweepId !== null
  const isKnown = (deposit: Deposit): boolean => {
    const noted = sweepable.get(sweepableKey(deposit))
    return noted !== undefined && counts(noted)
  }
  const unconfirmed = [...recordsOf(tenant, Deposit).values()]
    .filter((one) => one.status === "DETECTED" && one.block !== null && isImported(one) && one.currency === currency)
    .filter((one) => !isKnown(one))
    .map(({ units }) => units)
  const deposits = [...sweepable.values()]
    .filter((one) => isImported(one) && one.currency === currency && counts(one))
    .map(({ sweepId, unbacked, units }) => {
      const sweep = sweepId === null ? undefined : sweeps.get(sweepId)
      return sweep?.state === "SWEPT" && sweep.closedAt !== null ? unbacked : units
    })
  return sumOf([...unconfirmed, ...deposits, ...(isNative ? givenLeft(tenant, isImported) : [])])
}

const kindsAt: Readonly<Record<"custodian" | "bank", ReadonlyArray<OperationKind>>> = {
  custodian: ["WITHDRAWAL", "SWAP"],
  bank: ["OFF_RAMP", "BANK_TRANSFER", "REFUND", "ON_RAMP"]
}

/** Where the value of all tenants stands by the books, in memory. */
export const layer = Layer.effect(
  Positions,
  Effect.map(Store, (state) => {
    const all = () => [...state.tenants.values()]
    return Positions.of({
      addresses: (networks, after, limit) =>
        Effect.sync(() =>
          heldAddresses(state, networks)
            .filter(({ address }) => after === null || compareText(address, after) > 0)
            .slice(0, limit)
        ),
      chain: (network, above) =>
        Effect.sync(() => ({
          network,
          cursor: state.networks.get(network)?.cursor,
          balances: balancesOf(all(), [`chain:${network}:payouts`, `chain:${network}:deposits`]),
          deposits: all().flatMap((tenant) => depositsOf(tenant, network, above)),
          transfers: all().flatMap((tenant) => transfersOf(tenant, network, above)),
          transactions: all().flatMap((tenant) => transactionsOf(tenant, network, above)),
          // it has no rows
          unreadable: []
        })),
      movable: (asset) => Effect.sync(() => all().reduce((sum, tenant) => sum + movableOf(tenant, asset), 0n)),
      provider: ({ account, environment, provider, since }) =>
        Effect.sync(() => {
          const tenants = all().filter(({ head }) => head.tenant.kind === environment)
          return {
            balances: balancesOf(tenants, [account]),
            operations: all()
              .flatMap((tenant) => [...recordsOf(tenant, Operation).values()])
              .filter(
                (one) =>
                  one.provider === provider &&
                  kindsAt[account].includes(one.kind) &&
                  (!isOver(one.status) || (one.settledAt !== null && one.settledAt >= since))
              ),
            // see above
            unreadable: []
          }
        }),
      lines: ({ account, around, currency, limit, units }) =>
        Effect.sync(() =>
          all()
            .flatMap(({ head, legs }) =>
              legs
                .filter((leg) => leg.account === account && leg.currency === currency && leg.units === units)
                .map(({ operationId, postedAt, what }) => ({
                  operationId,
                  tenantId: head.tenant.id,
                  at: postedAt,
                  what
                }))
            )
            .toSorted(
              (one, other) =>
                Math.abs(one.at - around) - Math.abs(other.at - around) ||
                compareText(one.operationId, other.operationId)
            )
            .slice(0, limit)
        )
    })
  })
)
