import { checkTenant } from "@bursar/core/checker/checkTenant"
import type { Command } from "@bursar/core/engine/Command"
import * as Writer from "@bursar/core/engine/Writer"
import { idempotent } from "@bursar/core/idempotency/idempotent"
import { of } from "@bursar/core/money/Amount"
import type { Rate } from "@bursar/core/money/Rate"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import type { Operation } from "@bursar/core/operation/Operation"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { Queries } from "@bursar/core/store/Queries"
import type { Sender, TransferState } from "@bursar/core/port/FiatProvider"
import { done, type ProviderResult } from "@bursar/core/port/ProviderResult"
import { addFeeRule } from "@bursar/core/pricing/feeRuleCommands"
import { defaultPolicy, type TenantId, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import type { Statement } from "@bursar/core/resolution/Resolution"
import { proposeResolution } from "@bursar/core/resolution/resolutionCommands"
import { beginTransfer } from "@bursar/core/transfer/beginTransfer"
import { createTransfer, type TransferRequest } from "@bursar/core/transfer/createTransfer"
import { recordTransfer } from "@bursar/core/transfer/recordTransfer"
import { layer as layerMemory } from "@bursar/memory"
import { payerAsStored } from "@bursar/testkit/fixtures/FakeFiat"
import { percentRule } from "@bursar/testkit/fixtures/fees"
import { payee } from "@bursar/testkit/fixtures/people"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"

/** The storage ports and a writer over an empty store. */
export const store = Writer.layer.pipe(Layer.provideMerge(Layer.fresh(layerMemory)))

/** Submits a command. */
export const submit = <A>(tenantId: TenantId, command: Command<A>) =>
  Effect.flatMap(Writer.Writer, (writer) => writer.submit(tenantId, command))

/** The code for which a command is refused; null where it is carried out. */
export const refusalOf = (tenantId: TenantId, command: Command<unknown>) =>
  submit(tenantId, command).pipe(
    Effect.as(null),
    Effect.catchTag("Refusal", ({ code }) => Effect.succeed(code))
  )

/** Limits that need a price of nothing. */
const unlimited = {
  payoutLimitUsd: null,
  payoutDailyLimitUsd: null,
  payoutNewAddressLimitUsd: null,
  payoutReviewUsd: null
}

/** A tenant with 1,000 EUR and 1,000 USDC, a fee of one percent on everything that has a price, and no limits unless told otherwise. */
export const payer = Effect.fn("payer")(function* (policy: Partial<TenantPolicy> = {}) {
  const { id } = yield* newTenant({ policy: { ...defaultPolicy, ...unlimited, ...policy } })
  yield* submit(id, adjustFloat({ amount: of(100_000n, "EUR"), against: "bank", reason: "funded" }))
  yield* submit(id, adjustFloat({ amount: of(1_000_000_000n, "USDC_BASE"), against: "bank", reason: "funded" }))
  yield* submit(id, addFeeRule(percentRule(1n)))
  return id
})

/** 100 EUR to somebody's bank account. */
export const baseRequest = (more: Partial<TransferRequest> = {}): TransferRequest => ({
  kind: "BANK_TRANSFER",
  amount: of(10_000n, "EUR"),
  toCurrency: "EUR",
  payee,
  rail: null,
  quoteId: null,
  partnerReference: null,
  customerId: null,
  actsFor: "TENANT",
  provider: { name: "fake", environment: "LIVE" },
  usd: null,
  madeBy: "maker",
  defaultFees: [],
  currencies: defaultCurrencies,
  ...more
})

/** Submits as a request would, under a key of its own, and gives the operation, or the code of the refusal. */
export const keyed = Effect.fnUntraced(function* (
  tenantId: TenantId,
  command: Command<Operation>,
  endpoint = "POST /v1/transfers"
) {
  const queries = yield* Queries
  const key = crypto.randomUUID()
  const asked = submit(
    tenantId,
    idempotent({
      key,
      endpoint,
      fingerprint: "a".repeat(64),
      render: ({ id }) => ({ id }),
      resourceId: ({ id }) => id,
      command
    })
  )
  // a refusal that is no outcome of the request is not kept under its key, and fails
  const refused = yield* asked.pipe(
    Effect.map(({ outcome }) => (outcome._tag === "Refused" ? outcome.code : null)),
    Effect.catchTag("Refusal", ({ code }) => Effect.succeed(code))
  )
  if (refused !== null) return refused
  const idempotencyRecord = yield* queries.idempotencyRecord(tenantId, key)
  return (yield* queries.operation(tenantId, idempotencyRecord?.resourceId ?? "")) ?? assert.fail("nothing was made")
})

/** A transfer that was accepted. */
export const accept = Effect.fnUntraced(function* (tenantId: TenantId, more: Partial<TransferRequest> = {}) {
  const made = yield* keyed(tenantId, createTransfer(baseRequest(more)))
  return typeof made === "string" ? assert.fail(`the transfer was refused: ${made}`) : made
})

/** An accepted transfer whose order went out. */
export const send = Effect.fnUntraced(function* (tenantId: TenantId, more: Partial<TransferRequest> = {}) {
  const accepted = yield* accept(tenantId, more)
  const task = yield* submit(
    tenantId,
    beginTransfer(accepted, { name: "fake", environment: "LIVE" }, payerAsStored(accepted))
  )
  return task._tag === "Send" ? task.operation : assert.fail(`the order was not to be sent: ${task._tag}`)
})

/** Who pays in what arrives. */
export const sender: Sender = {
  name: "Rui Costa",
  iban: "PT50000201239876543210156",
  accountNumber: null,
  sortCode: null,
  routingNumber: null,
  bic: null
}

/** What the provider calls the order of an operation, in the answers of `says` that name no other. */
export const referenceOf = ({ id }: Pick<Operation, "id">): string => `t-${id}`

/** The reference of an answer that `hear` takes to be about the order of the operation that it is told of. */
export const unnamed = "unnamed"

/** An answer about the order of an operation, unless it names one itself. */
export const about = (
  operation: Pick<Operation, "id">,
  answer: ProviderResult<TransferState>
): ProviderResult<TransferState> =>
  answer._tag === "Done" && answer.value.providerReference === unnamed
    ? done({ ...answer.value, providerReference: referenceOf(operation) })
    : answer

/** What the provider says: of a transfer of 100 EUR, unless it says otherwise. */
export const says = (status: TransferState["status"], more: Partial<TransferState> = {}) =>
  done<TransferState>({
    providerReference: unnamed,
    status,
    received: status === "SETTLED" ? of(10_000n, "EUR") : null,
    returned: status === "RETURNED" ? of(10_000n, "EUR") : null,
    sender: null,
    reason: null,
    ...more
  })

/** Records what was said and gives the operation as it then stands. */
export const hear = Effect.fnUntraced(function* (
  tenantId: TenantId,
  operation: Operation,
  answer: ProviderResult<TransferState>,
  usd?: ReadonlyMap<string, Rate>
) {
  yield* submit(
    tenantId,
    recordTransfer({ operation, answer: about(operation, answer), currencies: defaultCurrencies, usd })
  )
  const queries = yield* Queries
  return (yield* queries.operation(tenantId, operation.id)) ?? assert.fail("the operation is gone")
})

/** An ON_RAMP of 100 EUR that came from a known account: 99 EUR are credited. */
export const paidIn = Effect.fnUntraced(function* (tenantId: TenantId, more: Partial<TransferRequest> = {}) {
  const operation = yield* send(tenantId, { kind: "ON_RAMP", payee: null, ...more })
  return yield* hear(tenantId, operation, says("SETTLED", { received: operation.amount, sender }))
})

/** What balance an account of the ledger has. */
export const balanceOf = Effect.fnUntraced(function* (tenantId: TenantId, account: string, currency = "EUR") {
  const { balances } = yield* (yield* LedgerSnapshot).snapshot(tenantId, (ledger) => Effect.succeed(ledger))
  return balances.find((one) => one.account === account && one.currency === currency)?.units ?? 0n
})

/** What the float has of a currency, free and held. */
export const float = Effect.fnUntraced(function* (tenantId: TenantId, currency = "EUR") {
  const all = yield* (yield* Queries).float(tenantId)
  const units = (account: string) =>
    all.find((one) => one.account === account && one.currency === currency)?.units ?? 0n
  return [units("float:available"), units("float:held")] as const
})

/** The events about an operation. */
export const told = Effect.fnUntraced(function* (tenantId: TenantId, { id }: Operation) {
  const events = yield* (yield* Queries).events(tenantId, 0, 500)
  return events.filter(({ resourceId }) => resourceId === id)
})

/** The kinds of the events about an operation. */
export const eventsOf = (tenantId: TenantId, operation: Operation) =>
  Effect.map(told(tenantId, operation), (events) => events.map(({ kind }) => kind))

/** What the checker has found wrong. */
export const wrong = Effect.fnUntraced(function* (tenantId: TenantId) {
  const results = yield* (yield* LedgerSnapshot).snapshot(tenantId, checkTenant)
  return results.flatMap(({ firstWrong, invariant }) => (firstWrong === null ? [] : [`${invariant}: ${firstWrong}`]))
})

/** What operators write down of a settled transfer. */
export const settledWith = (units: bigint, currency: string): Statement => ({
  outcome: "SETTLED",
  basis: "PROVIDER",
  reference: "Ticket 4711",
  source: "Their support",
  text: "As it was told on the phone.",
  providerReference: null,
  txHash: null,
  received: of(units, currency),
  networkFee: null
})

/** One operator proposes it. */
export const propose = (tenant: TenantId, operation: Operation, statement: Statement) =>
  submit(tenant, proposeResolution({ operation, statement, by: "anna", currencies: defaultCurrencies }))
