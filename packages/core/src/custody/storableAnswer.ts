import { shortened } from "../base/shortened.ts"
import { isStorableId, storable } from "../base/storable.ts"
import { type Amount, of } from "../money/Amount.ts"
import type { ConversionState, WithdrawalState } from "../port/Custodian.ts"
import type { TransferState } from "../port/FiatProvider.ts"
import { done, type ProviderResult, refused, unknown } from "../port/ProviderResult.ts"

/** An amount as it can be stored: no table has a currency whose code had to be changed. */
const storableAmount = ({ currency, units }: Amount): Amount => of(units, storable(currency))

/** An amount that a bank tells, as it can be stored: one that is zero, or less, is not known. */
const knownAmount = (amount: Amount | null): Amount | null =>
  amount === null || amount.units <= 0n ? null : storableAmount(amount)

/** Why an answer under an id says nothing, in words; undefined where the id can be stored. */
export const unstorableId = (id: string): string | undefined =>
  isStorableId(id) ? undefined : `the provider answered with ${shortened(id, 100)}, an id that cannot be stored`

/** An answer as it can be stored. One with an id that cannot be is none: changed, it would name something else. */
const storableAnswer = <A>(
  answer: ProviderResult<A>,
  idsOf: (state: A) => ReadonlyArray<string | null>,
  stateOf: (state: A) => A
): ProviderResult<A> => {
  switch (answer._tag) {
    case "Unknown":
      return unknown(answer.detail)
    case "Refused":
      return refused(answer.reason)
    case "Done": {
      const [odd] = idsOf(answer.value).flatMap((id) => (id === null ? [] : (unstorableId(id) ?? [])))
      return odd === undefined ? done(stateOf(answer.value)) : unknown(odd)
    }
  }
}

/** What a provider says of a transfer, as it can be stored: with an id that cannot be, it says nothing. An amount of zero is null from here on. */
export const storableTransfer = (answer: ProviderResult<TransferState>): ProviderResult<TransferState> =>
  storableAnswer(
    answer,
    ({ providerReference }) => [providerReference],
    (state) => ({
      ...state,
      received: knownAmount(state.received),
      returned: knownAmount(state.returned),
      reason: state.reason && storable(state.reason)
    })
  )

/** What a custodian says of a conversion, as it can be stored: with an id that cannot be, it says nothing. */
export const storableConversion = (answer: ProviderResult<ConversionState>): ProviderResult<ConversionState> =>
  storableAnswer(
    answer,
    ({ providerReference }) => [providerReference],
    (state) =>
      state._tag === "Settled"
        ? {
            ...state,
            received: storableAmount(state.received),
            ...(state.sold !== undefined && { sold: storableAmount(state.sold) }),
            ...(state.feesBeside !== undefined && { feesBeside: state.feesBeside.map(storableAmount) })
          }
        : state
  )

/** What a custodian says of a withdrawal, as it can be stored: with an id or a hash that cannot be, it says nothing. */
export const storableWithdrawal = (answer: ProviderResult<WithdrawalState>): ProviderResult<WithdrawalState> =>
  storableAnswer(
    answer,
    (state) => [state.providerReference, state._tag === "Failed" ? null : state.txHash],
    (state) =>
      state._tag === "Settled" && state.networkFee !== null
        ? { ...state, networkFee: storableAmount(state.networkFee) }
        : state
  )
