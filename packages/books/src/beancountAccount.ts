import { type Account, isOwed } from "@bursar/core/ledger/Account"

const rootOf = (account: Account): string => {
  if (isOwed(account)) return "Liabilities"
  if (account === "fees") return "Income"
  return account === "network_fees" ? "Expenses" : "Assets"
}

const coded = (character: string): string => `-x${(character.codePointAt(0) ?? 0).toString(16)}-`

/** One part of a name: `network_fees` becomes `NetworkFees`, what neither names may have is written by its code. */
const encoded = (part: string): string => {
  if (!/^[a-z0-9]/u.test(part)) throw new Error(`an account of the chart has a part ${JSON.stringify(part)}`)
  return part
    .replaceAll(/_(?![a-z])|-(?=x)|[^a-z0-9_-]/gu, coded)
    .replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase())
    .replace(/^[a-z]/u, (letter) => letter.toUpperCase())
}

const decoded = (part: string): string =>
  part
    .replace(/^[A-Z]/u, (letter) => letter.toLowerCase())
    .replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)
    .replaceAll(/-x([0-9a-f]+)-/gu, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))

/**
 * The name of an account in beancount, which wants one of five roots and parts that begin with a capital letter or a digit:
 * `float:available` is `Liabilities:Float:Available`, `network_fees` is `Expenses:NetworkFees`. No two accounts have one name.
 */
export const toBeancountAccount = (account: Account): string =>
  [rootOf(account), ...account.split(":").map(encoded)].join(":")

/** The account of the chart that has a name in beancount. */
export const fromBeancountAccount = (name: string): string => name.split(":").slice(1).map(decoded).join(":")
