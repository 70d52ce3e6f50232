import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"
import type { Amount } from "@bursar/core/money/Amount"
import { Operation } from "@bursar/core/operation/Operation"
import type { OperationText, SearchHit } from "@bursar/core/store/SearchHit"
import { Payout } from "@bursar/core/payout/Payout"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { byAge } from "./byAge.ts"
import { recordsOf, type State, type TenantRecords } from "./Store.ts"

/** What of an operation is one of the texts. */
const textsOf = (tenant: TenantRecords, texts: ReadonlySet<string>, amounts: ReadonlyArray<Amount>) => {
  const attempted = new Set(
    [...recordsOf(tenant, TransactionAttempt).values()].flatMap(({ hash, pays }) => (texts.has(hash) ? pays : []))
  )
  const asked = new Set(
    [...recordsOf(tenant, IdempotencyRecord).values()].flatMap(({ key, resourceId }) =>
      texts.has(key) && resourceId !== null ? [resourceId] : []
    )
  )
  const has = (text: string | null): boolean => text !== null && texts.has(text)
  const paid = recordsOf(tenant, Payout)
  return ({ amount, id, partnerReference, providerReference, txHash }: Operation): OperationText | undefined => {
    if (has(id)) return "id"
    if (has(txHash) || attempted.has(id)) return "transaction"
    if (has(providerReference)) return "provider_reference"
    if (has(partnerReference)) return "partner_reference"
    if (asked.has(id)) return "idempotency_key"
    if (has(paid.get(id)?.to ?? null)) return "destination"
    return amounts.some(({ currency, units }) => currency === amount.currency && units === amount.units)
      ? "amount"
      : undefined
  }
}

/** What has exactly one of these texts as its id, hash, address or reference, or is of one of these amounts. */
export const search = (
  state: State,
  texts: ReadonlyArray<string>,
  limit: number,
  amounts: ReadonlyArray<Amount> = []
): ReadonlyArray<SearchHit> => {
  const wanted = new Set(texts)
  const tenants = [...state.tenants.values()]
  const operations = tenants.flatMap((tenant) => {
    const textOf = textsOf(tenant, wanted, amounts)
    return [...recordsOf(tenant, Operation).values()].flatMap((operation) => {
      const by = textOf(operation)
      return by === undefined ? [] : [{ by, operation }]
    })
  })
  const addresses = tenants.flatMap((tenant) =>
    [...recordsOf(tenant, DepositAddress).values()]
      .filter(({ address }) => wanted.has(address))
      .map((address) => ({ by: "address" as const, address }))
  )
  return [
    ...operations.toSorted((one, other) => byAge(other.operation, one.operation)).slice(0, limit),
    ...addresses.toSorted((one, other) => byAge(other.address, one.address)).slice(0, limit)
  ]
}
