import type { xdr } from "@stellar/stellar-sdk/base"

const payments = [
  "op_success",
  "op_malformed",
  "op_underfunded",
  "op_src_no_trust",
  "op_src_not_authorized",
  "op_no_destination",
  "op_no_trust",
  "op_not_authorized",
  "op_line_full",
  "op_no_issuer",
  "op_too_few_offers",
  "op_cross_self"
]

/** Horizon's words for the results of an operation, by the number of its kind and the code without its sign. */
const operationCodes: Readonly<Record<number, ReadonlyArray<string>>> = {
  0: ["op_success", "op_malformed", "op_underfunded", "op_low_reserve", "op_already_exists"],
  1: payments,
  2: [...payments, "op_over_source_max"],
  5: [
    "op_success",
    "op_low_reserve",
    "op_too_many_signers",
    "op_bad_flags",
    "op_invalid_inflation",
    "op_cant_change",
    "op_unknown_flag",
    "op_threshold_out_of_range",
    "op_bad_signer",
    "op_invalid_home_domain"
  ],
  6: ["op_success", "op_malformed", "op_no_issuer", "op_invalid_limit", "op_low_reserve"],
  8: [
    "op_success",
    "op_malformed",
    "op_no_account",
    "op_immutable_set",
    "op_has_sub_entries",
    "op_seq_num_too_far",
    "op_dest_full"
  ],
  10: ["op_success", "op_not_supported_yet", "op_data_name_not_found", "op_low_reserve", "op_data_invalid_name"],
  11: ["op_success", "op_bad_seq"],
  13: [...payments, "op_under_dest_min"],
  21: ["op_success", "op_malformed", "op_no_trust", "op_cant_revoke"]
}

/** Horizon's words for an operation that did not come to be tried, by the code without its sign. */
const outerCodes = ["op_inner", "op_bad_auth", "op_no_source_account", "op_not_supported"]

/** Horizon's words for the result of a transaction. */
const transactionCodes: ReadonlyMap<number, string> = new Map([
  [1, "tx_fee_bump_inner_success"],
  [0, "tx_success"],
  [-1, "tx_failed"],
  [-2, "tx_too_early"],
  [-3, "tx_too_late"],
  [-4, "tx_missing_operation"],
  [-5, "tx_bad_seq"],
  [-6, "tx_bad_auth"],
  [-7, "tx_insufficient_balance"],
  [-8, "tx_no_source_account"],
  [-9, "tx_insufficient_fee"],
  [-10, "tx_bad_auth_extra"],
  [-12, "tx_not_supported"],
  [-13, "tx_fee_bump_inner_failed"],
  [-15, "tx_bad_minseq_age_or_gap"],
  [-16, "tx_malformed"]
])

/** The code inside the result of an operation that was tried. */
export const innerCode = (tr: xdr.OperationResultTrWire): number => {
  const result: unknown = Object.values(tr).find((value) => typeof value === "object")
  if (typeof result !== "object" || result === null || !("code" in result) || typeof result.code !== "number") {
    throw new Error("a result without a code")
  }
  return result.code
}

/** Whether an operation did what it says. */
export const succeeded = (result: xdr.OperationResultWire): boolean => result.code === 0 && innerCode(result.tr) === 0

/** Horizon's word for the result of an operation. */
export const operationCode = (result: xdr.OperationResultWire): string =>
  result.code === 0
    ? (operationCodes[result.tr.type]?.[-innerCode(result.tr)] ?? "op_unknown")
    : (outerCodes[-result.code] ?? "op_unknown")

/** Horizon's word for the result of a transaction. */
export const transactionCode = (code: number): string => transactionCodes.get(code) ?? "tx_unknown"
