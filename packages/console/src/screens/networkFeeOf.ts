import { feeBearers } from "@bursar/api/operator/OperatorOperation"

/** The network fee that was said in a form, as the service takes it; null where half of it was. */
export const networkFeeOf = ({
  borne_by: borneBy = "",
  fee: amount = "",
  fee_currency: currency = ""
}: Readonly<Record<string, string>>) => {
  const bearer = feeBearers.find((one) => one === borneBy)
  if (amount === "" && bearer === undefined) return {}
  return amount === "" || bearer === undefined ? null : { network_fee: { amount, currency, borne_by: bearer } }
}
