import type { AccountState } from "@bursar/core/port/FiatProvider"
import { composeIBAN } from "ibantools"
import { createHash } from "node:crypto"

/** The currencies that the sandbox has accounts in. */
export const accountCurrencies = ["EUR", "GBP", "USD"] as const

type Details = Pick<AccountState, "iban" | "accountNumber" | "sortCode" | "bic" | "bankName">

/** Digits that follow from a text, the same ones every time. */
const digitsOf = (text: string, count: number): string =>
  BigInt(`0x${createHash("sha256").update(text).digest("hex")}`)
    .toString()
    .padStart(count, "0")
    .slice(-count)

const ibanOf = (countryCode: string, bban: string): string => {
  const iban = composeIBAN({ countryCode, bban })
  if (iban === null) throw new Error(`${bban} is no account of ${countryCode}`)
  return iban
}

const bankName = "Bank of the Sandbox"

/** The banks of the sandbox. Their codes are well formed and nobody's. */
const banks: Readonly<Record<(typeof accountCurrencies)[number], (id: string) => Details>> = {
  EUR: (id) => ({
    iban: ibanOf("DE", `99999999${digitsOf(id, 10)}`),
    accountNumber: null,
    sortCode: null,
    bic: "SNDXDEFFXXX",
    bankName
  }),
  GBP: (id) => ({
    iban: ibanOf("GB", `SNDX999999${digitsOf(id, 8)}`),
    accountNumber: digitsOf(id, 8),
    sortCode: "999999",
    bic: "SNDXGB2LXXX",
    bankName
  }),
  USD: (id) => ({ iban: null, accountNumber: digitsOf(id, 12), sortCode: "123456780", bic: "SNDXUS33XXX", bankName })
}

/** The details of an account, which follow from its id; undefined where the sandbox has no bank for the currency. */
export const accountDetails = (id: string, currency: string): Details | undefined => {
  const known = accountCurrencies.find((code) => code === currency)
  return known === undefined ? undefined : banks[known](id)
}
