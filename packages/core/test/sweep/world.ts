import { nothingUndecided } from "@bursar/core/deposit/undecided"
import type { DepositAddress } from "@bursar/core/address/DepositAddress"
import { issueAddresses } from "@bursar/core/address/issueAddresses"
import type { Refusal } from "@bursar/core/base/Refusal"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import type { Command } from "@bursar/core/engine/Command"
import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { reorgDeposits } from "@bursar/core/incoming/reorgDeposits"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { JobQueue } from "@bursar/core/port/JobQueue"
import type { GuardPlan } from "@bursar/core/port/TransactionPlanner"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { purposes, signingConditions } from "@bursar/core/purposes"
import { Queries } from "@bursar/core/store/Queries"
import { reserveSweep, type ReserveSweep, type SweepRequest } from "@bursar/core/sweep/reserveSweep"
import { Sweep } from "@bursar/core/sweep/Sweep"
import { SweepAccount, sweepAccountKey } from "@bursar/core/sweep/SweepAccount"
import { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"
import { defaultPolicy, type TenantId, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import type { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import type { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { recordSigned } from "@bursar/core/transaction/recordSigned"
import { accountAt, keyed, keysAt, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { newTxHash } from "@bursar/testkit/fixtures/transfers"
import { Effect } from "effect"
import { submit, transactionOf } from "../payout/world.ts"

/** The account whose parts the addresses of stellar are. */
export const issuingAccount = "G-issuing"

/** The networks of the tests: one of each way in which transactions are kept apart, and their native assets. */
export const natives = { ethereum: "ETH", tron: "TRX", bitcoin: "BTC", stellar: "XLM" } as const

/** A network of the tests. */
export type Swept = keyof typeof natives

/** A tenant with a payout wallet on a network and addresses that were issued there. */
export const custody = Effect.fnUntraced(function* (
  network: Swept = "ethereum",
  count = 1,
  policy: Partial<TenantPolicy> = {}
) {
  const { id } = yield* newTenant({ policy: { ...defaultPolicy, ...policy } })
  const wallet = yield* submit(
    id,
    addWallet(
      { network, role: "PAYOUT", seedId: crypto.randomUUID(), index: 0, ...keyed(newEvmAddress()) },
      presetNetworks
    )
  )
  const account = accountAt(network === "stellar" ? issuingAccount : `account-${id}`)
  const prederived = {
    seedId: crypto.randomUUID(),
    ...account,
    from: 0,
    addresses: Array.from({ length: count }, () => keyed(newEvmAddress()))
  }
  const { addresses } = yield* submit(
    id,
    issueAddresses({ network, reference: "r", count, prederived }, presetNetworks)
  )
  const [address] = addresses
  if (address === undefined) return yield* Effect.die(new Error("nothing was issued"))
  return { id, wallet, address, addresses }
})

/** Lets something arrive on an address and confirms it. */
export const arrived = Effect.fnUntraced(function* (
  tenantId: TenantId,
  address: DepositAddress,
  units: bigint,
  currency: string = natives[address.network as Swept], // all addresses of these tests are on one of them
  txHash = newTxHash()
) {
  const { network } = address
  const incoming = {
    network,
    txHash,
    transferIndex: 3,
    addressId: address.id,
    address: address.address,
    keys: keysAt(address.address),
    currency,
    units,
    fromAddress: "outside",
    block: { number: 1_000, hash: newTxHash(), time: address.createdAt },
    confirmations: 1
  }
  const [deposit] = yield* submit(
    tenantId,
    recordIncomingTransfers({ network, requiredConfirmations: 1, incomingTransfers: [incoming] }, defaultCurrencies)
  )
  if (deposit === undefined) return yield* Effect.die(new Error("nothing arrived"))
  const [confirmed] = yield* submit(
    tenantId,
    confirmDeposits(
      [{ deposit, blockHash: incoming.block.hash, confirmations: 1 }],
      defaultCurrencies,
      nothingUndecided
    )
  )
  return confirmed ?? (yield* Effect.die(new Error("it was not confirmed")))
})

/** Takes the block of a deposit off the chain. */
export const lost = (tenantId: TenantId, deposit: Deposit) =>
  submit(tenantId, reorgDeposits([{ deposit, blockHash: deposit.block?.hash ?? null }], defaultCurrencies))

/** A deposit as sweeps see it. */
export const sweepableOf = Effect.fnUntraced(function* (tenantId: TenantId, deposit: Deposit) {
  const all = yield* (yield* Queries).records(tenantId, SweepableDeposit)
  const found = all.find(({ depositId }) => depositId === deposit.id)
  return found ?? (yield* Effect.die(new Error("no sweep knows of it")))
})

/** What is to be moved of some deposits of an address. */
export const requestOf = Effect.fnUntraced(function* (
  tenantId: TenantId,
  { address, id: addressId, network }: DepositAddress,
  deposits: ReadonlyArray<Deposit>
) {
  const sweepables = yield* Effect.forEach(deposits, (deposit) => sweepableOf(tenantId, deposit))
  const request: SweepRequest = {
    addressId,
    address,
    account: network === "stellar" ? issuingAccount : address,
    sweepables
  }
  return request
})

/** When sweeps are looked at again in these tests. */
export const lookAt = 90_000

/** What the planner of a network would propose for a sweep of some requests. */
export const planOf = (wallet: PayoutWallet, requests: ReadonlyArray<SweepRequest>): ReserveSweep => {
  const sweepables = requests.flatMap((request) => request.sweepables)
  const units = sweepables.reduce((sum, one) => sum + one.units, 0n)
  const account = requests[0]?.account ?? ""
  const common = { wallet, requests, units, confirmed: null, lookAt }
  if (wallet.network === "bitcoin") {
    const utxos = sweepables.map(({ address, transferIndex: vout, txHash, units: held }) => ({
      txHash,
      vout,
      units: held,
      address
    }))
    return { ...common, from: wallet.address, guard: { _tag: "Utxos", utxos, fee: 10n } }
  }
  const guard: GuardPlan = wallet.network === "tron" ? { _tag: "Expiry" } : { _tag: "Sequence", account, first: 5n }
  return { ...common, from: account, guard }
}

/** Reserves a sweep, or gives the code with which it is refused. */
export const tried = (tenantId: TenantId, plan: ReserveSweep) =>
  submit(tenantId, reserveSweep(plan, presetNetworks)).pipe(
    Effect.catchTag("Refusal", ({ code }: Refusal) => Effect.succeed(code))
  )

/** The answer to a command, or the code with which it is refused. */
export const answerOf = <A>(tenantId: TenantId, command: Command<A>) =>
  submit(tenantId, command).pipe(Effect.catchTag("Refusal", ({ code }: Refusal) => Effect.succeed(code)))

/** Reserves a sweep; fails the test where nothing was reserved. */
export const reserved = Effect.fnUntraced(function* (tenantId: TenantId, plan: ReserveSweep) {
  const found = yield* submit(tenantId, reserveSweep(plan, presetNetworks))
  if (found._tag !== "Reserved") return yield* Effect.die(new Error("the addresses are held"))
  const [sweep] = found.sweeps
  return sweep === undefined ? yield* Effect.die(new Error("nothing is swept")) : { ...found, sweep }
})

/** A sweep as it is stored. */
export const sweepOf = Effect.fnUntraced(function* (tenantId: TenantId, id: string) {
  const sweep = yield* (yield* Queries).record(tenantId, Sweep, id)
  return sweep ?? (yield* Effect.die(new Error("there is no such sweep")))
})

/** Signs an outbound transaction of sweeps or of a top-up: bytes that are told apart by their hash. */
export const signed = Effect.fnUntraced(function* (
  tenantId: TenantId,
  transaction: OutboundTransaction,
  hash: string,
  more: { readonly feeMax?: bigint; readonly validUntil?: number | null; readonly replaces?: string } = {}
) {
  const sweeps = (yield* (yield* Queries).records(tenantId, Sweep)).filter(
    ({ sweepTransactionId }) => sweepTransactionId === transaction.id
  )
  const { feeMax = 30_000n, replaces = null, validUntil = null } = more
  yield* submit(
    tenantId,
    recordSigned({
      transaction,
      hash,
      raw: new TextEncoder().encode(hash),
      validUntil,
      feeMax,
      pays: [],
      conditions: signingConditions(transaction, {
        payouts: [],
        sweeps,
        network: presetNetworks.of(transaction.network)
      }),
      replaces,
      purposes
    })
  )
  return yield* transactionOf(tenantId, transaction.id)
})

/** An account that is swept, as it is stored. */
export const accountOf = Effect.fnUntraced(function* (tenantId: TenantId, { account, network }: Sweep) {
  const found = yield* (yield* Queries).record(tenantId, SweepAccount, sweepAccountKey(network, account))
  return found ?? (yield* Effect.die(new Error("nothing was swept from it")))
})

/** When something of a queue is due; undefined where it is not in it. */
export const dueAt = Effect.fnUntraced(function* (queue: string, key: string) {
  const jobs = yield* (yield* JobQueue).due(queue, Number.MAX_SAFE_INTEGER, 1_000)
  return jobs.find((job) => job.key === key)?.dueAt
})
