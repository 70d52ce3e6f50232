import type { Account } from "@bursar/core/ledger/Account"
import { balanceKey } from "@bursar/core/ledger/Account"
import type { Balance, Leg, PostedLeg } from "@bursar/core/ledger/Leg"
import { legPurposes } from "@bursar/core/ledger/Leg"
import { signedDelta } from "@bursar/core/ledger/post"
import { type Currency, makeCurrencyTable } from "@bursar/core/money/Currency"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { operationKinds } from "@bursar/core/operation/Operation"
import { transactionPurposes } from "@bursar/core/transaction/OutboundTransaction"
import type { JournalEntry } from "@bursar/core/store/Journal"
import { Stream } from "effect"
import fc from "fast-check"
import type { Book, BookEntries } from "../../src/Book.ts"

/** A book with the postings that it is of. */
export interface WholeBook {
  readonly book: Book
  readonly all: ReadonlyArray<JournalEntry>
  readonly entries: BookEntries<never>
}

const account = fc.constantFrom<Account>(
  "float:available",
  "float:held",
  "account:0199a5e1-682f-7b02-a706-3b2422d13aec",
  "chain:ethereum:deposits",
  "chain:tron:payouts",
  "suspense:chain:tron:payouts",
  "custodian",
  "bank",
  "exchange",
  "fees",
  "network_fees",
  "suspense"
)

const configured = (code: string): Currency => ({ code, name: code, kind: "TOKEN", decimals: 6, asset: null })

/** With codes that may be configured and that beancount does not take. */
const currencies = makeCurrencyTable(
  [...defaultCurrencies.all, configured("BURNT_"), configured("TRUE")],
  defaultCurrencies.networks
)

/** Decimal contexts of other programs have 28 digits: so much is exact in all of them. */
const units = fc.oneof(fc.bigInt({ min: 1n, max: 1_000n }), fc.bigInt({ min: 1n, max: 10n ** 15n }))

const movement = fc
  .record({
    from: account,
    to: account,
    currency: fc.constantFrom("EUR", "USD", "BTC", "ETH", "USDT_TRON", "BURNT_", "TRUE"),
    units,
    what: fc.constantFrom(...legPurposes)
  })
  .map(({ currency, from, to, units: moved, what }): ReadonlyArray<Leg> => [
    { account: from, direction: "DEBIT", currency, units: moved, what },
    { account: to, direction: "CREDIT", currency, units: moved, what }
  ])

/** Texts as a hostile partner would choose them. */
export const hostileText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom(
    '=HYPERLINK("http://a")',
    "@SUM(A1)",
    "-2+3",
    "+1",
    "\t=1",
    "a\r\n2026-01-01 * (1) DEPOSIT\n    float:available  1.00 EUR\n    bank",
    'x"\n2026-01-01 open Assets:Mine',
    "; end\n",
    "| payee",
    "tag: value, other:",
    "]]></Ntry><Ntry>",
    "\u2028\u0085\u000b",
    "\ud800",
    '{"posting":1,',
    "include /etc/passwd",
    "100%25"
  )
)

const posting = fc.record({
  legs: fc.array(movement, { minLength: 1, maxLength: 4 }).map((movements) => movements.flat()),
  waitMs: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 3 * 86_400_000 })),
  kind: fc.constantFrom(...operationKinds, ...transactionPurposes),
  id: fc.uuid(),
  reference: fc.option(hostileText),
  txHash: fc.option(hostileText)
})

const start = Date.UTC(2026, 9, 1)

const posted = (given: ReadonlyArray<typeof posting extends fc.Arbitrary<infer P> ? P : never>) => {
  const balances = new Map<string, Balance>()
  const balanceOf = (name: Account, currency: string): Balance =>
    balances.get(balanceKey(name, currency)) ?? { account: name, currency, units: 0n, version: 0 }
  const snapshots: Array<ReadonlyArray<Balance>> = [[]]
  let postedAt = start
  const all = given.map(({ id, kind, legs, reference, txHash, waitMs }, index): JournalEntry => {
    postedAt += waitMs
    // as `post` does, but that any account may hold any amount
    const written = legs.map((leg, ordinal): PostedLeg => {
      const before = balanceOf(leg.account, leg.currency)
      const after = { ...before, units: before.units + signedDelta(leg), version: before.version + 1 }
      balances.set(balanceKey(leg.account, leg.currency), after)
      const { units: balance, version } = after
      return { ...leg, operationId: id, postingSeq: index + 1, ordinal, balance, version, postedAt }
    })
    snapshots.push([...balances.values()])
    const subject = { id, kind, network: "tron", partnerReference: reference, txHash }
    return { posting: index + 1, postedAt, subject, legs: written }
  })
  return { all, snapshots, to: postedAt }
}

/** Any books, from any posting on, with texts that a partner chose to do harm. */
export const randomBook: fc.Arbitrary<WholeBook> = fc
  .tuple(fc.array(posting, { minLength: 1, maxLength: 12 }), fc.nat(), hostileText)
  .map(([given, cut, name]) => {
    const { all, snapshots, to } = posted(given)
    const after = cut % all.length
    const book: Book = {
      tenant: { id: "0199a5e1-0000-7000-8000-000000000001", slug: "demo", name },
      currencies,
      range: { after, through: all.length },
      from: all[after]?.postedAt ?? start,
      to,
      opening: snapshots[after] ?? [],
      closing: snapshots.at(-1) ?? []
    }
    const entries: BookEntries<never> = (from, filter = {}) =>
      Stream.fromIterable(
        all
          .filter(({ posting: number }) => number > from)
          .map((entry) => ({
            ...entry,
            legs: entry.legs.filter(
              (leg) =>
                (filter.accounts?.includes(leg.account) ?? true) && (filter.currency ?? leg.currency) === leg.currency
            )
          }))
          .filter(({ legs }) => legs.length > 0)
      )
    return { book, all, entries }
  })
