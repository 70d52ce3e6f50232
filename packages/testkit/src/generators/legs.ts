import type { Account } from "@bursar/core/ledger/Account"
import { type Leg, legPurposes } from "@bursar/core/ledger/Leg"
import fc from "fast-check"
import { units } from "./amounts.ts"

/** Accounts of every sort. */
export const account: fc.Arbitrary<Account> = fc.constantFrom<Account>(
  "float:available",
  "float:held",
  "account:a-1",
  "chain:ethereum:deposits",
  "chain:ethereum:tenant",
  "custodian",
  "exchange",
  "fees",
  "suspense"
)

const currency = fc.constantFrom("ETH", "BTC", "EUR")

/** A movement from one account to another, as its two legs. */
const movement: fc.Arbitrary<ReadonlyArray<Leg>> = fc
  .record({ from: account, to: account, currency, units, what: fc.constantFrom(...legPurposes) })
  .map(({ currency, from, to, units, what }) => [
    { account: from, direction: "DEBIT", currency, units, what },
    { account: to, direction: "CREDIT", currency, units, what }
  ])

/** The legs of a posting that balances, in any order, over several accounts and currencies. */
export const balancedLegs: fc.Arbitrary<ReadonlyArray<Leg>> = fc
  .array(movement, { minLength: 1, maxLength: 5 })
  .chain((movements) => {
    const legs = movements.flat()
    return fc.shuffledSubarray(legs, { minLength: legs.length, maxLength: legs.length })
  })
