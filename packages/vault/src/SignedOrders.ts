import { makeIsOurs } from "@bursar/api/signature/isOurs"
import { requestIdOf } from "@bursar/api/signature/requestId"
import type { ProvenRequest } from "@bursar/api/signature/verifyEvidence"
import type { MoneyIn } from "@bursar/api/wire/Money"
import { CreateSwap } from "@bursar/api/wire/Swap"
import { CreateTransfer } from "@bursar/api/wire/Transfer"
import { CreateWithdrawal } from "@bursar/api/wire/Withdrawal"
import { parse } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Operation } from "@bursar/core/operation/Operation"
import { SignedOrders } from "@bursar/core/port/SignedOrders"
import { evidenceOf } from "@bursar/core/signature/SignatureEvidence"
import { payeeOf } from "@bursar/core/transfer/transferOrder"
import { Effect, Layer, Option, Result, Schema } from "effect"
import { jsonOf } from "./internal/jsonOf.ts"
import { payeeObjection } from "./internal/payeeObjection.ts"
import { provenRequest } from "./internal/provenRequest.ts"

/** By what signed orders are read. */
export interface SignedOrdersOptions {
  readonly currencies: CurrencyTable
  /** The authorities under which partners reach the service; none: this machine alone. */
  readonly publicAuthorities: ReadonlyArray<string>
  /** For how long a signed request is good. Default 7 days, as for the signer. */
  readonly requestAgeMaxMs?: number
}

const ageMaxDefaultMs = 7 * 86_400_000

/** How far the clock of a partner may be ahead. */
const aheadMaxMs = 60_000

const ageObjection = ({ created }: ProvenRequest, now: number, ageMaxMs: number): string | undefined => {
  if (created * 1_000 > now + aheadMaxMs) return "the request was signed at a time that has not come"
  return now - created * 1_000 > ageMaxMs
    ? "the request was signed too long ago: cancel it, and let the partner ask again"
    : undefined
}

const differs = (what: string): string => `the signed request says another ${what}`

const amountObjection = (currencies: CurrencyTable, { amount }: Operation, asked: MoneyIn): string | undefined => {
  const currency = currencies.byCode(asked.currency)
  const read = currency === undefined ? undefined : Result.getOrElse(parse(asked.amount, currency), () => undefined)
  return read?.currency === amount.currency && read.units === amount.units ? undefined : differs("amount")
}

/** What a request that names no rail leaves to the currency's usual one is never a rail; one that names a quote may have it from there. */
const railObjection = ({ details }: Operation, { quote_id: quote, rail }: CreateTransfer): string | undefined => {
  const sent = details.rail ?? null
  if (rail == null) return sent !== null && quote == null ? differs("rail") : undefined
  return rail.toUpperCase() === sent ? undefined : differs("rail")
}

/** What the receiver gets: only an OFF_RAMP of what is no fiat may turn it into another currency. */
const currencyObjection = (currencies: CurrencyTable, operation: Operation): string | undefined => {
  const { amount, details, kind } = operation
  if ((details.to_currency ?? amount.currency) === amount.currency) return undefined
  const converts =
    kind === "OFF_RAMP" && (currencies.byCode(amount.currency)?.kind !== "FIAT" || details.quote_id != null)
  return converts ? undefined : differs("currency")
}

const transferObjection = (
  currencies: CurrencyTable,
  operation: Operation,
  asked: CreateTransfer
): string | undefined => {
  const { actsFor, customerId, details, kind } = operation
  if (asked.kind !== kind) return differs("kind")
  if ((asked.customer_id ?? null) !== customerId || (asked.acts_for ?? "TENANT") !== actsFor) return differs("customer")
  if ((asked.quote_id ?? null) !== (details.quote_id ?? null)) return differs("quote")
  if (actsFor === "TENANT" && (details.provider_customer_id ?? null) !== null) return differs("customer")
  const amount = amountObjection(currencies, operation, asked.amount)
  if (amount !== undefined) return amount
  const sent = currencyObjection(currencies, operation) ?? railObjection(operation, asked)
  if (sent !== undefined) return sent
  // whom a refund pays follows from what it pays back
  if (kind === "REFUND")
    return asked.beneficiary_account.trim().toLowerCase() === details.refund_of ? undefined : differs("ON_RAMP")
  return payeeObjection(payeeOf(operation), asked)
}

const swapObjection = (currencies: CurrencyTable, operation: Operation, asked: CreateSwap): string | undefined => {
  const { customerId, details } = operation
  if (asked.to_currency !== details.to_currency) return differs("currency")
  if ((asked.customer_id ?? null) !== customerId) return differs("customer")
  if ((asked.quote_id ?? null) !== (details.quote_id ?? null)) return differs("quote")
  return amountObjection(currencies, operation, asked.amount)
}

const unreadable = "the signed body is no request for it"

const readTransfer = Schema.decodeUnknownOption(CreateTransfer)
const readSwap = Schema.decodeUnknownOption(CreateSwap)
const readWithdrawal = Schema.decodeUnknownOption(CreateWithdrawal)

/** Where an operation is asked for, and why it is not what a body asks for. */
const contractOf = (currencies: CurrencyTable, operation: Operation) => {
  const judging =
    <A>(objection: (asked: A) => string | undefined) =>
    (asked: Option.Option<A>): string | undefined =>
      Option.isNone(asked) ? unreadable : objection(asked.value)
  switch (operation.kind) {
    case "SWAP": {
      const judge = judging((asked: CreateSwap) => swapObjection(currencies, operation, asked))
      return { path: "/v1/swaps", objection: (body: Uint8Array) => judge(readSwap(jsonOf(body))) }
    }
    case "WITHDRAWAL": {
      // where it goes is granted
      const judge = judging(({ amount }: CreateWithdrawal) => amountObjection(currencies, operation, amount))
      return { path: "/v1/withdrawals", objection: (body: Uint8Array) => judge(readWithdrawal(jsonOf(body))) }
    }
    default: {
      const judge = judging((asked: CreateTransfer) => transferObjection(currencies, operation, asked))
      return { path: "/v1/transfers", objection: (body: Uint8Array) => judge(readTransfer(jsonOf(body))) }
    }
  }
}

/** Verifies what partners have signed, by the contract's own profile and schemas. */
export const layer = ({
  currencies,
  publicAuthorities,
  requestAgeMaxMs = ageMaxDefaultMs
}: SignedOrdersOptions): Layer.Layer<SignedOrders> => {
  const isOurs = makeIsOurs(publicAuthorities)
  return Layer.succeed(
    SignedOrders,
    SignedOrders.of({
      objection: Effect.fn("SignedOrders.objection")(function* ({ now, operation, signingKeys }) {
        const evidence = evidenceOf(operation)
        if (evidence === undefined) return "nobody has signed it"
        const { objection, path } = contractOf(currencies, operation)
        const proven = yield* provenRequest(evidence, { signingKeys, isOurs }, path)
        if (Result.isFailure(proven)) return proven.failure
        if ((yield* requestIdOf(operation.tenantId, proven.success)) !== operation.id)
          return "the signed request is for another operation"
        return ageObjection(proven.success, now, requestAgeMaxMs) ?? objection(proven.success.body)
      })
    })
  )
}
