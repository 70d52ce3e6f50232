import { Schema } from "effect"
import { fitsOf } from "../base/fits.ts"
import { type AdjustmentDetails, adjustmentFields } from "./details/AdjustmentDetails.ts"
import { type CommonDetails, commonFields } from "./details/CommonDetails.ts"
import { type DepositDetails, depositFields, type ReversalDetails, reversalFields } from "./details/DepositDetails.ts"
import type { Fields } from "./details/fields.ts"
import { type PayoutDetails, payoutFields } from "./details/PayoutDetails.ts"
import { type SwapDetails, swapFields } from "./details/SwapDetails.ts"
import {
  type InternalTransferDetails,
  internalTransferFields,
  type OnRampDetails,
  onRampFields,
  type RefundDetails,
  refundFields,
  type TransferDetails,
  transferFields
} from "./details/TransferDetails.ts"
import { type WithdrawalDetails, withdrawalFields } from "./details/WithdrawalDetails.ts"
import type { OperationKind } from "./OperationKind.ts"

/** The fields that each kind has beside the common ones. */
interface OwnDetails {
  readonly DEPOSIT: DepositDetails
  readonly CHAIN_PAYOUT: PayoutDetails
  readonly WITHDRAWAL: WithdrawalDetails
  readonly SWAP: SwapDetails
  readonly ON_RAMP: OnRampDetails
  readonly OFF_RAMP: TransferDetails
  readonly BANK_TRANSFER: TransferDetails
  readonly INTERNAL_TRANSFER: InternalTransferDetails
  readonly REFUND: RefundDetails
  readonly REVERSAL: ReversalDetails
  readonly ADJUSTMENT: AdjustmentDetails
}

/** The name of any field that the details of some kind have. */
export type DetailsField = { [K in OperationKind]: keyof OwnDetails[K] }[OperationKind] | keyof CommonDetails

/** Fields of a kind, and the certainty that it has none of the others': a field can be read of every operation, and written where it is. */
type Only<Own> = Own & { readonly [field in Exclude<DetailsField, keyof Own | keyof CommonDetails>]?: never }

/** The details of each kind. */
type DetailsByKind = { readonly [K in OperationKind]: CommonDetails & Only<OwnDetails[K]> }

/**
 * The details of an operation of a kind, as they are stored; of every kind where none is named. Amounts are decimal strings, moments
 * Unix milliseconds. A row of another version may have fields beside these: they stay as they are.
 */
export type OperationDetails<K extends OperationKind = OperationKind> = DetailsByKind[K]

/** The fields of each kind, as they are stored. */
export const detailsFields = {
  DEPOSIT: { ...commonFields, ...depositFields },
  CHAIN_PAYOUT: { ...commonFields, ...payoutFields },
  WITHDRAWAL: { ...commonFields, ...withdrawalFields },
  SWAP: { ...commonFields, ...swapFields },
  ON_RAMP: { ...commonFields, ...onRampFields },
  OFF_RAMP: { ...commonFields, ...transferFields },
  BANK_TRANSFER: { ...commonFields, ...transferFields },
  INTERNAL_TRANSFER: { ...commonFields, ...internalTransferFields },
  REFUND: { ...commonFields, ...refundFields },
  REVERSAL: { ...commonFields, ...reversalFields },
  ADJUSTMENT: { ...commonFields, ...adjustmentFields }
} as const satisfies Readonly<Record<OperationKind, Fields>>

/** The details of a stored operation are not what its kind has. */
export class CorruptDetails extends Schema.TaggedError<CorruptDetails>()("CorruptDetails", {
  operationId: Schema.String,
  kind: Schema.String,
  /** The field that is wrong; null where the details are no object. */
  field: Schema.NullOr(Schema.String)
}) {
  override get message(): string {
    const what = this.field === null ? "details" : `details.${this.field}`
    return `${what} of the ${this.kind} ${this.operationId} cannot be read`
  }
}

type Check = (value: unknown) => boolean

/** Checks by field, made once for each: a row costs no more than the fields that it has. */
const checks = new Map<OperationKind, ReadonlyMap<string, Check>>()

const checksOf = (kind: OperationKind): ReadonlyMap<string, Check> => {
  const known = checks.get(kind)
  if (known !== undefined) return known
  const made = new Map(
    Object.entries<Schema.Schema<unknown>>(detailsFields[kind]).map(([field, schema]): [string, Check] => {
      const [fits, is] = [fitsOf(schema.ast), Schema.is(schema)]
      return [field, (value) => fits(value) || is(value)]
    })
  )
  checks.set(kind, made)
  return made
}

const isObject = (value: unknown): value is { readonly [field: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * The details of a stored operation: the very value, so that it is written back as it was, with the fields that are not known here.
 * Throws `CorruptDetails` where a field is not of its type.
 */
export const decodeDetails = <K extends OperationKind>(id: string, kind: K, stored: unknown): OperationDetails<K> => {
  if (!isObject(stored)) throw new CorruptDetails({ operationId: id, kind, field: null })
  const known = checksOf(kind)
  for (const field in stored) {
    if (known.get(field)?.(stored[field]) === false) throw new CorruptDetails({ operationId: id, kind, field })
  }
  return stored as OperationDetails<K> // each of its known fields is of its type
}
