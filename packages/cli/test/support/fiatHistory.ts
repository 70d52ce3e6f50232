import { createAccount } from "@bursar/core/account/createAccount"
import { recordAccount } from "@bursar/core/account/recordAccount"
import { recordIncoming } from "@bursar/core/account/recordIncoming"
import { recordCheck, recordOpenedCheck } from "@bursar/core/customer/checkCommands"
import { createCustomer } from "@bursar/core/customer/createCustomer"
import { recordRegistration } from "@bursar/core/account/registration"
import type { Command } from "@bursar/core/engine/Command"
import { layer as layerWriter, Writer } from "@bursar/core/engine/Writer"
import { idempotent } from "@bursar/core/idempotency/idempotent"
import { of } from "@bursar/core/money/Amount"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import type { Operation } from "@bursar/core/operation/Operation"
import { done, unknown } from "@bursar/core/port/ProviderResult"
import type { Payee, Sender, TransferState } from "@bursar/core/port/FiatProvider"
import { Queries } from "@bursar/core/store/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import { createQuote } from "@bursar/core/pricing/createQuote"
import { defaultPolicy, TenantId } from "@bursar/core/tenant/Tenant"
import { beginTransfer } from "@bursar/core/transfer/beginTransfer"
import { createInternalTransfer } from "@bursar/core/transfer/createInternalTransfer"
import { createTransfer, type TransferRequest } from "@bursar/core/transfer/createTransfer"
import { recordTransfer } from "@bursar/core/transfer/recordTransfer"
import { layer as layerPostgres } from "@bursar/postgres"
import { payerAsStored } from "@bursar/testkit/fixtures/FakeFiat"
import { Effect, Layer, Redacted } from "effect"
import { localCurrencies } from "./localCurrencies.ts"

/** The tenant that has customers. */
export const fiatTenant = TenantId("019845e1-682f-7b02-a706-3b2422d13afa")

const currencies = localCurrencies

const fees = [
  {
    id: "00000000-0000-7000-8000-000000000001",
    product: null,
    currency: null,
    rail: null,
    percent: { units: 1n, decimals: 0 },
    minimumFee: { units: 0n, decimals: 0 },
    priority: 1,
    effectiveFrom: 0,
    createdAt: 0,
    retiredAt: null
  }
]

const payee: Payee = {
  name: "Ana Silva",
  country: "PT",
  holderType: "INDIVIDUAL",
  iban: "PT50000201231234567890154",
  accountNumber: null,
  sortCode: null,
  routingNumber: null,
  bic: null,
  bankName: null,
  purpose: null
}

const request: TransferRequest = {
  kind: "BANK_TRANSFER",
  amount: of(10_000n, "EUR"),
  toCurrency: "EUR",
  payee,
  rail: null,
  quoteId: null,
  partnerReference: null,
  customerId: null,
  actsFor: "TENANT",
  provider: { name: "fake", environment: "SANDBOX" },
  usd: null,
  madeBy: "maker",
  defaultFees: fees,
  currencies
}

const submit = <A>(command: Command<A>) => Effect.flatMap(Writer, (writer) => writer.submit(fiatTenant, command))

const keyed = Effect.fnUntraced(function* (command: Command<Operation>) {
  const queries = yield* Queries
  const key = crypto.randomUUID()
  const resourceId = ({ id }: Operation) => id
  const endpoint = "POST /v1/transfers"
  yield* submit(idempotent({ key, endpoint, fingerprint: key, render: () => ({ key }), resourceId, command }))
  const idempotencyRecord = yield* queries.idempotencyRecord(fiatTenant, key)
  const operation = yield* queries.operation(fiatTenant, idempotencyRecord?.resourceId ?? "")
  if (operation === undefined) throw new Error("nothing was made")
  return operation
})

const carry = Effect.fnUntraced(function* (
  more: Partial<TransferRequest>,
  ...told: ReadonlyArray<TransferState["status"]>
) {
  const usd = { price: { units: 1n, decimals: 0 }, source: "test", observedAt: Date.now() }
  const operation = yield* keyed(createTransfer({ ...request, usd, ...more }))
  yield* submit(beginTransfer(operation, { name: "fake", environment: "SANDBOX" }, payerAsStored(operation)))
  for (const status of told) {
    const answer = done<TransferState>({
      providerReference: `t-${operation.id}`,
      status,
      received: status === "SETTLED" ? operation.amount : null,
      returned: status === "RETURNED" ? operation.amount : null,
      sender: operation.kind === "ON_RAMP" ? sender : null,
      reason: null
    })
    yield* submit(recordTransfer({ operation, answer, currencies }))
  }
  return operation.id
})

const sender: Sender = {
  name: "Rui Costa",
  iban: "PT50000201239876543210156",
  accountNumber: null,
  sortCode: null,
  routingNumber: null,
  bic: null
}

/** A customer with an account on which money arrived, and one transfer of every end. */
const happen = Effect.gen(function* () {
  yield* (yield* Tenants).create({
    id: fiatTenant,
    slug: "fiat",
    name: "Fiat",
    kind: "SANDBOX",
    status: "ACTIVE",
    // what is worth a review may go to somebody new
    policy: { ...defaultPolicy, payoutNewAddressLimitUsd: null },
    createdAt: Date.now()
  })
  yield* submit(adjustFloat({ amount: of(100_000n, "EUR"), against: "bank", reason: "funded" }))
  const person = { externalId: "user-1", isBusiness: false, displayName: null, country: "PT" }
  const { id: customerId } = yield* submit(createCustomer(person))
  yield* submit(recordOpenedCheck(customerId, "fake", { applicantId: "app", status: "PENDING" }))
  const capabilities = ["fiat_accounts", "payouts", "swaps"]
  const check = { status: "APPROVED", capabilities, expiresAt: null, environment: "sandbox", decidedAt: 1 } as const
  yield* submit(recordCheck(customerId, "app", check))
  yield* submit(recordRegistration(customerId, "fake", "cus"))
  const account = yield* submit(
    createAccount({
      customerId,
      currency: "EUR",
      country: null,
      provider: { name: "fake", environment: "SANDBOX" },
      currencies
    })
  )
  const open = {
    providerAccountId: "acc",
    status: "ACTIVE",
    holderName: "Ana Silva",
    iban: "DE89370400440532013000",
    accountNumber: null,
    sortCode: null,
    bic: null,
    bankName: null,
    expiresAt: null
  } as const
  yield* submit(recordAccount(account, done(open)))
  const arrived = { providerAccountId: "acc", description: "rent", arrivedAt: 0 }
  yield* submit(recordIncoming(account, { ...arrived, id: "p-1", amount: of(700n, "EUR") }, currencies))
  const internal = { amount: of(500n, "EUR"), accountId: account.id, quoteId: null, partnerReference: null, currencies }
  yield* keyed(createInternalTransfer({ ...internal, actsFor: "CUSTOMER", customerId }))
  const price = yield* submit(
    createQuote({
      product: "BANK_TRANSFER",
      amount: request.amount,
      toCurrency: "EUR",
      customerId: null,
      rail: null,
      country: null,
      provider: "fake",
      rate: null,
      networkFee: null,
      lifetimeMs: 60_000,
      defaultFees: fees,
      currencies
    })
  )
  yield* carry({ quoteId: price.id, actsFor: "CUSTOMER", customerId }, "SETTLED")
  yield* carry({}, "SENT", "SETTLED", "RETURNED")
  yield* carry({ kind: "OFF_RAMP" }, "SENT")
  const refundOf = yield* carry({ kind: "ON_RAMP", payee: null }, "SETTLED")
  const refund = { refundOf, name: "" }
  yield* carry({ kind: "REFUND", refund }, "FAILED")
  yield* carry({ kind: "ON_RAMP", payee: null }, "SETTLED", "RETURNED")
})

/** Two transfers that a bank took, and does not answer for. */
const leaveOpen = Effect.forEach(
  ["one", "two"],
  Effect.fnUntraced(function* () {
    const usd = { price: { units: 1n, decimals: 0 }, source: "test", observedAt: Date.now() }
    const operation = yield* keyed(createTransfer({ ...request, amount: of(1_000n, "EUR"), usd }))
    yield* submit(beginTransfer(operation, { name: "fake", environment: "SANDBOX" }, payerAsStored(operation)))
    yield* submit(recordTransfer({ operation, answer: unknown("no answer"), currencies }))
  }),
  { discard: true }
)

const storageOf = (url: string) =>
  layerWriter.pipe(Layer.provideMerge(layerPostgres({ url: Redacted.make(url), maxConnections: 2 })))

/** Has one more transfer settled, where the history has been written. */
export const settleOne = (url: string) =>
  carry({ amount: of(200n, "EUR") }, "SETTLED").pipe(Effect.provide(storageOf(url)), Effect.scoped)

/** Leaves a transfer to somebody of this name for operators to look at, and tells its id. */
export const holdOne = (url: string, name: string) => {
  const usd = { price: { units: 1_100n, decimals: 0 }, source: "test", observedAt: Date.now() }
  const transfer = createTransfer({ ...request, amount: of(1_000n, "EUR"), payee: { ...payee, name }, usd })
  return keyed(transfer).pipe(
    Effect.map(({ id }) => id),
    Effect.provide(storageOf(url)),
    Effect.scoped
  )
}

/** Writes it all into a migrated database; with two transfers that stay unresolved, where they are wanted. */
export const writeFiatHistory = (url: string, { unresolved = false }: { readonly unresolved?: boolean } = {}) =>
  (unresolved ? Effect.andThen(happen, leaveOpen) : happen).pipe(Effect.provide(storageOf(url)), Effect.scoped)
