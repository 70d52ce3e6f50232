import { purposes, signingConditions } from "@bursar/core/purposes"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { checkTenant } from "@bursar/core/checker/checkTenant"
import type { Command } from "@bursar/core/engine/Command"
import * as Writer from "@bursar/core/engine/Writer"
import { idempotent } from "@bursar/core/idempotency/idempotent"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Network } from "@bursar/core/money/Network"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import type { Operation } from "@bursar/core/operation/Operation"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { recordSigned } from "@bursar/core/transaction/recordSigned"
import { recordStatus } from "@bursar/core/transaction/recordStatus"
import type { GuardRequest } from "@bursar/core/transaction/reserveGuard"
import { reservePayouts } from "@bursar/core/payout/reservePayouts"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { type CreatePayout, createPayout } from "@bursar/core/payout/createPayout"
import { leavingOf } from "@bursar/core/payout/mayPayoutLeave"
import type { PayoutOrder } from "@bursar/core/payout/PayoutOrder"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import type { TransactionStatus } from "@bursar/core/port/ChainSender"
import { Queries } from "@bursar/core/store/Queries"
import { defaultPolicy, type TenantId, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import { layer as layerMemory } from "@bursar/memory"
import { flatFee } from "@bursar/testkit/fixtures/fees"
import { newEvmAddress, keyed } from "@bursar/testkit/fixtures/deposits"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { Payout } from "@bursar/core/payout/Payout"
import { AssetReservation } from "@bursar/core/operation/AssetReservation"

/** The storage ports and a writer over an empty store. */
export const store = Writer.layer.pipe(Layer.provideMerge(Layer.fresh(layerMemory)))

/** The network that payouts are paid on, unless told otherwise. */
export const ethereum = presetNetworks.of("ethereum")

/** An address that nobody has. */
export const outside = "0x00000000000000000000000000000000000000F0"

/** Submits a command. */
export const submit = <A>(tenantId: TenantId, command: Command<A>) =>
  Effect.flatMap(Writer.Writer, (writer) => writer.submit(tenantId, command))

/** A tenant with a float of 1,000 USDT and 5 ETH and a payout wallet on ethereum. */
export const payer = Effect.fn("payer")(function* (policy: Partial<TenantPolicy> = {}, network: Network = "ethereum") {
  const { id } = yield* newTenant({ policy: { ...defaultPolicy, ...policy } })
  for (const [units, currency] of [
    [1_000_000_000n, "USDT_ETH"],
    [5n * 10n ** 18n, "ETH"],
    [10n ** 9n, "BTC"],
    [1_000_000_000n, "USDT_TRON"]
  ] as const) {
    yield* submit(
      id,
      adjustFloat({ amount: of(units, currency), against: `chain:${network}:payouts`, reason: "funded" })
    )
  }
  const wallet = yield* submit(
    id,
    addWallet(
      { network, role: "PAYOUT", seedId: crypto.randomUUID(), index: 0, ...keyed(newEvmAddress()) },
      presetNetworks
    )
  )
  return { id, wallet }
})

/** 100 USDT on ethereum to an outside address. */
export const usdt = (more: Partial<PayoutOrder> = {}): PayoutOrder => ({
  network: "ethereum",
  currency: "USDT_ETH",
  contract: defaultCurrencies.byCode("USDT_ETH")?.asset?.contract ?? null,
  units: 100_000_000n,
  to: outside,
  memo: null,
  ...more
})

/** Evidence that nobody looks at. */
export const evidence = { keyid: "k", signatureBase: "b", signature: "s", body: "e30=" }

/** What a request says and the world knows, a dollar per unit unless told otherwise. */
export const request = Effect.fnUntraced(function* (more: Partial<CreatePayout> = {}) {
  const now = yield* Clock.currentTimeMillis
  const order = more.order ?? usdt()
  const command: CreatePayout = {
    order,
    account: order.to,
    reference: "invoice",
    tenant: null,
    defaultFees: [flatFee(1_000_000n, defaultCurrencies.byCode(order.currency)?.decimals ?? 0)],
    usd: { price: { units: 1n, decimals: 0 }, source: "test", observedAt: now },
    switchedOff: null,
    evidence,
    madeBy: "maker",
    currencies: defaultCurrencies,
    ...more
  }
  return command
})

let keys = 0

/** Creates a payout, under an idempotency key as every request has one. */
export const create = Effect.fnUntraced(function* (tenantId: TenantId, more: Partial<CreatePayout> = {}) {
  const key = `key-${++keys}`
  let made: Operation | undefined
  const command = createPayout(yield* request(more))
  const answered = yield* submit(
    tenantId,
    idempotent({
      key,
      endpoint: "POST /v1/chain-payouts",
      fingerprint: key,
      render: (operation) => {
        made = operation
        return { id: operation.id }
      },
      resourceId: ({ id }) => id,
      command
    })
  )
  return { answered, operation: made }
})

/** Creates a payout that is accepted. */
export const accepted = Effect.fnUntraced(function* (tenantId: TenantId, more: Partial<CreatePayout> = {}) {
  const { answered, operation } = yield* create(tenantId, more)
  if (operation === undefined) return yield* Effect.die(new Error(JSON.stringify(answered)))
  return operation
})

/** The code with which a payout is refused. */
export const refusalOf = (tenantId: TenantId, more: Partial<CreatePayout> = {}) =>
  create(tenantId, more).pipe(
    Effect.map(({ answered }) => (answered.outcome._tag === "Refused" ? answered.outcome.code : "accepted")),
    // what is no outcome of the request is not kept under its key, and fails
    Effect.catchTag("Refusal", ({ code }) => Effect.succeed(code))
  )

/** What is stored of a payout. */
export const stateOf = Effect.fnUntraced(function* (tenantId: TenantId, id: string) {
  const queries = yield* Queries
  const operation = yield* queries.operation(tenantId, id)
  const payout = yield* queries.record(tenantId, Payout, id)
  if (operation === undefined || payout === undefined) return yield* Effect.die(new Error("no such payout"))
  const transaction =
    payout.transactionId === null
      ? undefined
      : yield* queries.record(tenantId, OutboundTransaction, payout.transactionId)
  return { operation, payout, transaction }
})

/** An outbound transaction as it is stored. */
export const transactionOf = Effect.fnUntraced(function* (tenantId: TenantId, id: string) {
  const transaction = yield* (yield* Queries).record(tenantId, OutboundTransaction, id)
  return transaction ?? (yield* Effect.die(new Error("no such outbound transaction")))
})

/** A wallet as it is stored. */
export const walletOf = Effect.fnUntraced(function* (tenantId: TenantId, id: string) {
  const wallet = yield* (yield* Queries).record(tenantId, PayoutWallet, id)
  return wallet ?? (yield* Effect.die(new Error("no such wallet")))
})

/** The next number of a wallet. */
export const next = (account: PayoutWallet, first: bigint | null = 7n): GuardRequest => ({
  _tag: "Next",
  account,
  first
})

const payoutOf = Effect.fnUntraced(function* (tenantId: TenantId, id: string) {
  const found = yield* (yield* Queries).record(tenantId, Payout, id)
  return found ?? (yield* Effect.die(new Error(`there is no payout ${id}`)))
})

/** Reserves an outbound transaction for payouts; fails the test where there is none. */
export const reserved = Effect.fnUntraced(function* (
  tenantId: TenantId,
  wallet: PayoutWallet,
  operations: ReadonlyArray<Pick<Operation, "id">>,
  guard: GuardRequest = next(wallet)
) {
  const payouts = yield* Effect.forEach(operations, ({ id }) => payoutOf(tenantId, id))
  const transaction = yield* submit(tenantId, reservePayouts({ wallet, payouts, guard }, presetNetworks))
  return transaction ?? (yield* Effect.die(new Error("nothing was reserved")))
})

/** Signs an outbound transaction as it stands: bytes that are told apart by their hash. */
export const signed = Effect.fnUntraced(function* (
  tenantId: TenantId,
  transaction: OutboundTransaction,
  hash: string,
  more: { readonly pays?: ReadonlyArray<string>; readonly replaces?: string | null } = {}
) {
  const pays = more.pays ?? transaction.payments.flatMap(({ operationId }) => operationId ?? [])
  const payouts = yield* Effect.forEach(pays, (id) => payoutOf(tenantId, id))
  yield* submit(
    tenantId,
    recordSigned({
      transaction,
      hash,
      raw: new TextEncoder().encode(hash),
      validUntil: null,
      feeMax: 30_000n,
      pays,
      conditions: signingConditions(transaction, {
        payouts: payouts.map(leavingOf),
        sweeps: [],
        network: presetNetworks.of(transaction.network)
      }),
      replaces: more.replaces ?? null,
      purposes
    })
  )
  return yield* transactionOf(tenantId, transaction.id)
})

/** Records what the chain says of an outbound transaction, and which transactions it was asked about as evidence. */
export const withStatus = (
  tenantId: TenantId,
  transaction: OutboundTransaction,
  status: TransactionStatus,
  evidence: ReadonlyArray<string> = []
) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    return yield* submit(
      tenantId,
      recordStatus({
        transaction,
        asked: transaction.hashes,
        status,
        evidence,
        nextAt: now + 1_000,
        unresolvedAfterMs: 600_000,
        currencies: defaultCurrencies,
        purposes
      })
    )
  })

/** A final transaction. */
export const finalOf = (hash: string, effect: "done" | "reverted" | "missing" = "done"): TransactionStatus => ({
  _tag: "Final",
  hash,
  blockNumber: 10,
  blockTime: 0,
  fee: 21_000n,
  effect
})

/** What the float has of a currency: free and held. */
export const float = Effect.fnUntraced(function* (tenantId: TenantId, currency = "USDT_ETH") {
  const balances = yield* (yield* Queries).float(tenantId)
  const of = (account: string) =>
    balances.find((one) => one.account === account && one.currency === currency)?.units ?? 0n
  return { available: of("float:available"), held: of("float:held") }
})

/** The kinds of a tenant's events. */
export const eventsOf = (tenantId: TenantId) =>
  Effect.flatMap(Queries, (queries) => queries.events(tenantId, 0, 500)).pipe(
    Effect.map((events) => events.map(({ kind }) => kind))
  )

/** What is reserved of the places that payouts leave from, and what open outbound transactions will take there. */
const reservations = Effect.fnUntraced(function* (tenantId: TenantId) {
  const queries = yield* Queries
  const transactions = yield* queries.records(tenantId, OutboundTransaction)
  const expected = new Map<string, bigint>()
  for (const { network, payments, phase } of transactions)
    for (const { operationId } of phase === "FINAL" ? [] : payments) {
      const payout = operationId === null ? undefined : yield* queries.record(tenantId, Payout, operationId)
      if (payout === undefined) continue
      const key = `chain:${network}:payouts|${payout.currency}`
      expected.set(key, (expected.get(key) ?? 0n) + payout.units)
    }
  const records = yield* queries.records(tenantId, AssetReservation)
  const found = records.flatMap(({ account, currency, units }) =>
    units === 0n ? [] : [[`${account}|${currency}`, units] as const]
  )
  return { found: new Map(found), expected }
})

/** Fails the test where the books do not add up, or more or less is reserved of a place than open outbound transactions will take. */
export const ledgerHolds = Effect.fnUntraced(function* (tenantId: TenantId) {
  const { expected, found } = yield* reservations(tenantId)
  assert.deepStrictEqual(found, expected, "reservations")
  const results = yield* (yield* LedgerSnapshot).snapshot(tenantId, checkTenant)
  for (const { firstWrong, invariant } of results) assert.isNull(firstWrong, invariant)
})
