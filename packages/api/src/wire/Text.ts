import { Schema } from "effect"
import { Limits } from "../Limits.ts"

/** A text of `min` (1 unless told) to `max` characters. Whether its value means anything is decided elsewhere. */
export const text = (max: number, min = 1) => Schema.String.check(Schema.isMinLength(min), Schema.isMaxLength(max))

/** A network's name as given by a caller; an unknown one is refused by the decider as `unknown_network`. */
export const NetworkText = text(Limits.networkLengthMax)

/** A currency code as given by a caller; an unknown one is refused by the decider as `unsupported_asset`. */
export const CurrencyText = text(Limits.currencyLengthMax)

/** An on-chain address as given by a caller; checked by the decider (`address_invalid`). */
export const AddressText = text(Limits.addressLengthMax)

/** The tenant's own reference. */
export const ReferenceText = text(Limits.referenceLengthMax)

/** A memo or tag as given by a caller; checked by the decider (`memo_invalid`). */
export const MemoText = text(Limits.memoLengthMax)

/** A free text: a reason, a label, a name. */
export const FreeText = text(Limits.textLengthMax)

/** A kind, status, product or other short code as given by a caller. */
export const CodeText = text(Limits.codeLengthMax)

/** A request field that may be absent or null. */
export const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
