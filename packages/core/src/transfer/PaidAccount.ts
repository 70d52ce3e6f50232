import type { Timestamp } from "../base/Timestamp.ts"
import type { Payee } from "../port/FiatProvider.ts"
import { defineRecord } from "../engine/Records.ts"

/** An account at a bank that the tenant has paid. */
export interface PaidAccount {
  /** As `accountKey` writes it. */
  readonly account: string
  /** When the first payment to it settled. */
  readonly firstPaidAt: Timestamp
}

/** A number of an account or a bank without what is only for people. */
export const compact = (text: string): string => text.replace(/[^0-9A-Za-z]/gu, "").toUpperCase()

const britishIban = /^GB\d{2}[A-Z]{4}(\d{6})(\d{8})$/u

/**
 * What tells a payee's account from all others: its IBAN, or its number together with what names its bank, however they were
 * written. A British IBAN and the sort code and number in it are one account. Names tell nothing: anybody may write any.
 */
export const accountKey = ({ accountNumber, bic, country, iban, routingNumber, sortCode }: Payee): string => {
  if (iban !== null) {
    const whole = compact(iban)
    const [, sort, number] = britishIban.exec(whole) ?? []
    return sort === undefined ? `iban:${whole}` : `sort:${sort}:${number}`
  }
  const number = compact(accountNumber ?? "")
  if (sortCode !== null) return `sort:${compact(sortCode)}:${number}`
  if (routingNumber !== null) return `routing:${compact(routingNumber)}:${number}`
  return bic === null ? `account:${country ?? ""}:${number}` : `bic:${compact(bic).slice(0, 8)}:${number}`
}

/** Accounts that were paid, by account. */
export const PaidAccount = defineRecord<PaidAccount>({ name: "PaidAccount", key: ({ account }) => account })
