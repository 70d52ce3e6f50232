import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { accountAt, keysAt } from "@bursar/testkit/fixtures/deposits"
import type { FeeRule } from "@bursar/core/pricing/FeeRule"
import { purposes, signingConditions } from "@bursar/core/purposes"
import { keyed } from "./keyed.ts"
import { issueAddresses } from "@bursar/core/address/issueAddresses"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { reorgDeposits } from "@bursar/core/incoming/reorgDeposits"
import type { Command } from "@bursar/core/engine/Command"
import { layer as layerWriter, type SubmitError, Writer } from "@bursar/core/engine/Writer"
import { beginCustody } from "@bursar/core/custody/beginCustody"
import { digestParam } from "@bursar/core/checker/destinationLog"
import { done, refused } from "@bursar/core/port/ProviderResult"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import type { Rate } from "@bursar/core/money/Rate"
import { createSwap } from "@bursar/core/swap/createSwap"
import { recordSwap } from "@bursar/core/swap/recordSwap"
import { createWithdrawal } from "@bursar/core/withdrawal/createWithdrawal"
import type { Destination } from "@bursar/core/destination/Destination"
import { proposeDestination, rejectDestination, verifyDestination } from "@bursar/core/destination/destinationCommands"
import { destinationDigest } from "@bursar/core/destination/destinationDigest"
import { recordWithdrawal } from "@bursar/core/withdrawal/recordWithdrawal"
import { idempotent } from "@bursar/core/idempotency/idempotent"
import { of } from "@bursar/core/money/Amount"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { recordStatus } from "@bursar/core/transaction/recordStatus"
import { recordSigned } from "@bursar/core/transaction/recordSigned"
import { reservePayouts } from "@bursar/core/payout/reservePayouts"
import type { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { createPayout } from "@bursar/core/payout/createPayout"
import { payoutConditions } from "@bursar/core/payout/payoutRule"
import { leavingOf } from "@bursar/core/payout/mayPayoutLeave"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { requestAdjustment } from "@bursar/core/adjustment/requestAdjustment"
import type { Operation } from "@bursar/core/operation/Operation"
import { Queries } from "@bursar/core/store/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import { closeSweep } from "@bursar/core/sweep/closeSweep"
import { confirmTopUp } from "@bursar/core/sweep/confirmTopUp"
import { reserveSweep } from "@bursar/core/sweep/reserveSweep"
import { reserveTopUp } from "@bursar/core/sweep/reserveTopUp"
import { defaultPolicy, TenantId } from "@bursar/core/tenant/Tenant"
import { layer as layerPostgres } from "@bursar/postgres"
import { Effect, Layer, Redacted } from "effect"
import { Payout } from "@bursar/core/payout/Payout"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { Sweep } from "@bursar/core/sweep/Sweep"
import { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"
import { localCurrencies, localNetworks } from "./localCurrencies.ts"

/** The tenant with a history. */
export const historyTenant = TenantId("019845e1-682f-7b02-a706-3b2422d13aec")

const address = `0x${"5a".repeat(20)}`

/** Account m/44'/60'/0' of the mnemonic "abandon × 11 about", and its first address; nobody uses it. */
const issuing = {
  account:
    "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt",
  first: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"
}

const usd = (): Rate => ({ price: { units: 2_000n, decimals: 0 }, source: "test", observedAt: Date.now() })

/** What moves through the custodian: withdrawals and swaps of half a percent. */
const custodyFees = [
  {
    id: "00000000-0000-7000-8000-000000000001",
    product: null,
    currency: null,
    rail: null,
    percent: { units: 5n, decimals: 1 },
    minimumFee: { units: 0n, decimals: 0 },
    priority: 1,
    effectiveFrom: 0,
    createdAt: 0,
    retiredAt: null
  }
]

/** Notes in the log of operators what one did of a destination. */
const log = Effect.fnUntraced(function* (action: "reject" | "verify", destination: Destination, operator: string) {
  const params = {
    tenant_id: historyTenant,
    destination_id: destination.id,
    ...(action === "verify" ? { [digestParam]: yield* destinationDigest(destination) } : {})
  }
  const route = `/operator/v1/tenants/:tenant_id/destinations/:destination_id/${action}`
  yield* (yield* OperatorAudit).append({
    actionId: crypto.randomUUID(),
    at: Date.now(),
    operator,
    role: "admin",
    method: "POST",
    route,
    params,
    status: 200,
    requestId: "r",
    address: "",
    content: null
  })
})

/** A destination that is replaced, one that receives and one that was rejected; withdrawals under way, settled and failed; swaps of each end. */
const useCustodian = Effect.fnUntraced(function* (claimed: Claimed) {
  const writer = yield* Writer
  const queries = yield* Queries
  const submit = <A>(command: Command<A>) => writer.submit(historyTenant, command)
  const verify = Effect.fnUntraced(function* (currency: string, to: string) {
    const proposal = { currency, network: "ethereum", address: to, memo: null, label: "treasury", by: "alice" } as const
    const { id } = yield* submit(proposeDestination(proposal))
    const verified = yield* submit(verifyDestination(id, "bob"))
    yield* log("verify", verified, "bob")
    return verified
  })
  yield* verify("ETH", `0x${"11".repeat(20)}`)
  yield* verify("ETH", `0x${"12".repeat(20)}`)
  const wrong = yield* verify("USDT_ETH", `0x${"13".repeat(20)}`)
  yield* submit(rejectDestination(wrong.id, "a mistake"))
  yield* log("reject", wrong, "alice")

  const made = Effect.fnUntraced(function* (key: string, endpoint: string, command: Command<Operation>) {
    let id = ""
    yield* claimed(key, endpoint, command, (operation) => (id = operation.id))
    const operation = yield* queries.operation(historyTenant, id)
    if (operation === undefined) throw new Error(`${key} was not made`)
    yield* submit(beginCustody(operation, { name: "fake", environment: "SANDBOX" }))
    return operation
  })
  const shared = {
    partnerReference: null,
    provider: { name: "fake", environment: "SANDBOX" } as const,
    defaultFees: custodyFees,
    currencies: localCurrencies
  }
  const withdraw = (key: string, units: bigint) =>
    made(
      key,
      "POST /v1/withdrawals",
      createWithdrawal({ ...shared, amount: of(units, "ETH"), usd: usd(), madeBy: "maker" })
    )
  const swap = (key: string) =>
    made(
      key,
      "POST /v1/swaps",
      createSwap({
        madeBy: "maker",
        ...shared,
        amount: of(10n ** 15n, "ETH"),
        toCurrency: "USDC_ETH",
        customerId: null,
        quoteId: null,
        pair: { minimum: null, step: null },
        rate: usd()
      })
    )
  const hear = <A>(operation: Operation, answer: A) => ({ operation, answer, currencies: localCurrencies })
  const networkFee = of(10n ** 12n, "ETH")
  const gone = done({ _tag: "Settled", providerReference: "w-1", txHash: "0xgone", networkFee } as const)
  const service = { networkFeeBorneBy: "SERVICE" } as const
  yield* submit(recordWithdrawal({ ...hear(yield* withdraw("withdrawn and gone", 10n ** 15n), gone), ...service }))
  const failed = refused("no")
  yield* submit(recordWithdrawal({ ...hear(yield* withdraw("withdrawn and failed", 10n ** 15n), failed), ...service }))
  yield* withdraw("withdrawn", 2n * 10n ** 17n)
  const received = of(1_990_000n, "USDC_ETH")
  const feesBeside = [of(10n ** 12n, "ETH")]
  const converted = done({ _tag: "Settled", providerReference: "s-1", received, feesBeside } as const)
  yield* submit(recordSwap(hear(yield* swap("swapped"), converted)))
  yield* submit(recordSwap(hear(yield* swap("swapped in vain"), failed)))
  yield* swap("swapping")
})

type Claimed = <A>(
  key: string,
  endpoint: string,
  command: Command<A>,
  resourceId: (reply: A) => string | null
) => Effect.Effect<unknown, SubmitError, Writer>

/** A payout that settled, one that waits for its block, one that failed, and one that nobody has begun. */
const payOut = Effect.fnUntraced(function* (claimed: Claimed) {
  const writer = yield* Writer
  const queries = yield* Queries
  const submit = <A>(command: Command<A>) => writer.submit(historyTenant, command)
  const seedId = "019845e1-682f-7b02-a706-3b2422d13aaa"
  const wallet = yield* submit(
    addWallet(
      { network: "ethereum", role: "PAYOUT", seedId, index: 0, ...keyed(`0x${"6b".repeat(20)}`) },
      localNetworks
    )
  )
  const fee: FeeRule = {
    id: "019845e1-682f-7b02-a706-0000000000fe",
    product: "CHAIN_PAYOUT",
    currency: "ETH",
    rail: null,
    percent: { units: 0n, decimals: 0 },
    minimumFee: { units: 1n, decimals: 6 },
    priority: 1,
    effectiveFrom: 0,
    createdAt: 0,
    retiredAt: null
  }
  const pay = Effect.fnUntraced(function* (key: string) {
    let made = ""
    const command = createPayout({
      order: {
        network: "ethereum",
        currency: "ETH",
        contract: null,
        units: 10n ** 15n,
        to: `0x${"7c".repeat(20)}`,
        memo: null
      },
      account: `0x${"7c".repeat(20)}`,
      reference: key,
      tenant: null,
      defaultFees: [fee],
      usd: { price: { units: 2_000n, decimals: 0 }, source: "test", observedAt: Date.now() },
      switchedOff: null,
      evidence: { keyid: "k", signatureBase: "b", signature: "s", body: "e30=" },
      madeBy: "maker",
      currencies: localCurrencies
    })
    yield* claimed(key, "POST /v1/chain-payouts", command, ({ id }) => {
      made = id
      return id
    })
    return made
  })
  const sign = Effect.fnUntraced(function* (key: string, hash: string) {
    const id = yield* pay(key)
    const payout = yield* queries.record(historyTenant, Payout, id)
    if (payout === undefined) throw new Error("there is no payout")
    const guard = { _tag: "Next", account: wallet, first: 5n } as const
    const transaction = yield* submit(reservePayouts({ wallet, payouts: [payout], guard }, localNetworks))
    if (transaction === null) throw new Error("nothing was reserved")
    const conditions = payoutConditions([leavingOf(payout)], localNetworks.of(payout.network))
    const signed = {
      transaction,
      hash,
      raw: new Uint8Array(1),
      validUntil: null,
      feeMax: 21_000n,
      pays: [id],
      conditions,
      purposes,
      replaces: null
    }
    yield* submit(recordSigned(signed))
    return { ...transaction, hashes: [hash] }
  })
  const end = Effect.fnUntraced(function* (transaction: OutboundTransaction, effect: "done" | "reverted") {
    const [hash = ""] = transaction.hashes
    const status = { _tag: "Final", hash, blockNumber: 7, blockTime: 0, fee: 21_000n, effect } as const
    const asked = transaction.hashes
    yield* submit(
      recordStatus({
        transaction,
        asked,
        status,
        nextAt: 0,
        unresolvedAfterMs: 1e9,
        currencies: localCurrencies,
        purposes
      })
    )
  })
  yield* end(yield* sign("paid", "0xpaid"), "done")
  yield* end(yield* sign("reverted", "0xreverted"), "reverted")
  yield* sign("under way", "0xunderway")
  yield* pay("waiting")
})

/** An address whose key the service holds: something was swept from it, with coin that it was given, and something waits there. */
const sweep = Effect.gen(function* () {
  const writer = yield* Writer
  const queries = yield* Queries
  const submit = <A>(command: Command<A>) => writer.submit(historyTenant, command)
  const currencies = localCurrencies
  const seedId = "019845e1-682f-7b02-a706-3b2422d13aab"
  const prederived = { seedId, ...accountAt(issuing.account), from: 0, addresses: [keyed(issuing.first)] }
  const { addresses } = yield* submit(
    issueAddresses({ network: "ethereum", reference: "i", count: 1, prederived }, localNetworks)
  )
  const wallets = yield* queries.records(historyTenant, PayoutWallet, "ethereum")
  const [{ address, id: addressId } = { address: "", id: "" }] = addresses
  const [wallet] = wallets
  if (wallet === undefined) throw new Error("there is no wallet")
  const arrive = Effect.fnUntraced(function* (txHash: string, units: bigint) {
    const block = { number: 200, hash: `block-${txHash}`, time: Date.now() + 60_000 }
    const incomingTransfer = {
      network: "ethereum",
      txHash,
      transferIndex: 0,
      addressId,
      address,
      keys: keysAt(address),
      currency: "USDT_ETH",
      units
    } as const
    const incomingTransfers = [{ ...incomingTransfer, fromAddress: null, block, confirmations: 1 }]
    const found = yield* submit(
      recordIncomingTransfers({ network: "ethereum", requiredConfirmations: 3, incomingTransfers }, currencies)
    )
    yield* submit(
      confirmDeposits(
        found.map((deposit) => ({ deposit, blockHash: block.hash, confirmations: 3 })),
        currencies,
        nothingUndecided
      )
    )
  })
  const end = Effect.fnUntraced(function* (transaction: OutboundTransaction, hash: string) {
    const stands = yield* queries.records(historyTenant, Sweep, transaction.id)
    const signed = {
      transaction,
      hash,
      raw: new Uint8Array(1),
      validUntil: null,
      feeMax: 21_000n,
      pays: [],
      replaces: null,
      purposes
    }
    yield* submit(
      recordSigned({
        ...signed,
        conditions: signingConditions(transaction, {
          payouts: [],
          sweeps: stands,
          network: localNetworks.of(transaction.network)
        })
      })
    )
    const status = { _tag: "Final", hash, blockNumber: 8, blockTime: 0, fee: 21_000n, effect: "done" } as const
    yield* submit(
      recordStatus({ transaction, asked: [hash], status, nextAt: 0, unresolvedAfterMs: 1e9, currencies, purposes })
    )
  })
  yield* arrive("swept", 40_000_000n)
  const sweepables = yield* queries.records(historyTenant, SweepableDeposit, addressId)
  const request = { addressId, address, account: address, sweepables }
  const opened = yield* submit(
    reserveTopUp(
      { wallet, guard: { _tag: "Next", account: wallet, first: 8n }, request, units: 10n ** 14n, lookAt: 0 },
      localNetworks
    )
  )
  if (opened._tag !== "Reserved") throw new Error("no coin was given")
  yield* end(opened.transaction, "0xtopup")
  const [{ id } = { id: "" }] = opened.sweeps
  const topped = yield* queries.record(historyTenant, Sweep, id)
  if (topped === undefined) throw new Error("there is no sweep")
  const confirmed = yield* submit(confirmTopUp({ sweep: topped, balance: 10n ** 14n, needs: null, nextAt: 0 }))
  const requests = [{ ...request, sweepables: sweepables.map((sweepable) => ({ ...sweepable, sweepId: id })) }]
  const moving = yield* submit(
    reserveSweep(
      {
        wallet,
        from: address,
        requests,
        guard: { _tag: "Sequence", account: address, first: 0n },
        units: 40_000_000n,
        confirmed,
        lookAt: 0
      },
      localNetworks
    )
  )
  if (moving._tag !== "Reserved") throw new Error("nothing is swept")
  yield* end(moving.transaction, "0xswept")
  const swept = yield* queries.record(historyTenant, Sweep, id)
  if (swept === undefined) throw new Error("there is no sweep")
  yield* submit(closeSweep({ sweep: swept, nativeUsd: null, retryAt: 0, waiting: [], currencies }))
  yield* arrive("waits to be swept", 3_000_000n)
})

/** What happened to the tenant: one of everything that leaves a trace. */
export const happen = Effect.gen(function* () {
  const tenants = yield* Tenants
  const writer = yield* Writer
  yield* tenants.create({
    id: historyTenant,
    slug: "history",
    name: "History",
    kind: "SANDBOX",
    status: "ACTIVE",
    policy: { ...defaultPolicy, destinationCoolingHours: 0 },
    createdAt: Date.now()
  })
  const submit = <A>(command: Command<A>) => writer.submit(historyTenant, command)
  const claimed = <A>(key: string, endpoint: string, command: Command<A>, resourceId: (reply: A) => string | null) =>
    submit(idempotent({ key, endpoint, fingerprint: key, render: () => ({ key }), resourceId, command }))

  let addressId = ""
  const item = {
    _tag: "Valid",
    network: "ethereum",
    ...keyed(address),
    reference: "r",
    watchFrom: null,
    watchFromBlock: null
  } as const
  yield* claimed("address", "POST /v1/deposit-addresses", registerAddresses([item]), ([result]) => {
    if (result !== undefined && "address" in result) addressId = result.address.id
    return null
  })
  let blocks = 100
  const arrive = Effect.fnUntraced(function* (txHash: string, units: bigint, currency: string) {
    blocks += 1
    const block = { number: blocks, hash: `block-${blocks}`, time: Date.now() + 60_000 }
    const incomingTransfer = {
      network: "ethereum",
      txHash,
      transferIndex: 0,
      addressId,
      address,
      keys: keysAt(address),
      currency,
      units
    } as const
    const [deposit] = yield* submit(
      recordIncomingTransfers(
        {
          network: "ethereum",
          requiredConfirmations: 3,
          incomingTransfers: [{ ...incomingTransfer, fromAddress: null, block, confirmations: 1 }]
        },
        localCurrencies
      )
    )
    if (deposit === undefined) throw new Error("the arrival was not recorded")
    return deposit
  })
  const confirm = (deposit: Deposit) =>
    submit(
      confirmDeposits(
        [{ deposit, blockHash: deposit.block?.hash ?? "", confirmations: 3 }],
        localCurrencies,
        nothingUndecided
      )
    )
  yield* confirm(yield* arrive("credited", 10n ** 18n, "ETH"))
  yield* confirm(yield* arrive("credited too", 25_000_000n, "USDT_ETH"))
  const lost = yield* arrive("lost", 7n * 10n ** 17n, "ETH")
  const [credited] = yield* confirm(lost)
  if (credited === undefined) throw new Error("the deposit was not credited")
  yield* submit(reorgDeposits([{ deposit: credited, blockHash: credited.block?.hash ?? "" }], localCurrencies))
  yield* arrive("waiting", 10n ** 17n, "ETH")

  const adjustment = (units: bigint) =>
    adjustFloat({ amount: of(units, "ETH"), against: "chain:ethereum:payouts", reason: "counted again" })
  yield* submit(adjustment(3n * 10n ** 17n))
  yield* submit(adjustFloat({ amount: of(4n * 10n ** 17n, "ETH"), against: "custodian", reason: "sent there" }))
  yield* submit(adjustment(-(10n ** 17n)))
  const assigned = { amount: of(10n ** 16n, "ETH"), against: "suspense" } as const
  const { id: arrival } = yield* submit(
    adjustFloat({ ...assigned, from: "suspense", against: "chain:ethereum:payouts", reason: "found there" })
  )
  yield* submit(adjustFloat({ ...assigned, assigns: arrival, reason: "theirs" }))
  yield* submit(
    requestAdjustment({
      amount: of(10n ** 16n, "ETH"),
      against: "custodian",
      reason: "counted once more",
      by: "alice",
      usd: usd(),
      currencies: localCurrencies
    })
  )
  yield* claimed("refused", "POST /v1/withdrawals", adjustment(-(10n ** 30n)), ({ id }) => id)
  yield* payOut(claimed)
  yield* sweep
  yield* useCustodian(claimed)
})

/** Writes the history into a migrated database. */
export const writeHistory = (url: string) =>
  happen.pipe(
    Effect.provide(layerWriter.pipe(Layer.provideMerge(layerPostgres({ url: Redacted.make(url), maxConnections: 2 })))),
    Effect.scoped
  )
