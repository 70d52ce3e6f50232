import { type ApproverSet, keyName } from "./ApproverSet.ts"
import type { GrantKind, GrantValues } from "./GrantDocument.ts"
import type { PolicyValues } from "./PolicyValues.ts"

/** What a grant does to what may be lost. Whatever does both, or cannot be compared, raises it. */
export type Direction = "raises" | "lowers" | "changes_nothing"

type Compare<A> = (from: A, to: A) => Direction

/** What is said once and for all: to say anything else raises a risk. */
const same: Compare<string | undefined> = (from, to) => (from === to ? "changes_nothing" : "raises")

const both = (all: ReadonlyArray<Direction>): Direction =>
  all.includes("raises") ? "raises" : all.includes("lowers") ? "lowers" : "changes_nothing"

const safeWhen =
  (safe: boolean): Compare<boolean> =>
  (from, to) =>
    from === to ? "changes_nothing" : to === safe ? "lowers" : "raises"

/** Two decimal texts without needless zeros: below zero where the first is the smaller one. */
const compareDecimals = (one: string, other: string): number => {
  const [whole = "", part = ""] = one.split(".")
  const [otherWhole = "", otherPart = ""] = other.split(".")
  const length = Math.max(part.length, otherPart.length)
  const [a, b] = [BigInt(whole + part.padEnd(length, "0")), BigInt(otherWhole + otherPart.padEnd(length, "0"))]
  return a < b ? -1 : a > b ? 1 : 0
}

/** A limit: the smaller it is, the less may be lost; null is no limit. */
const smaller: Compare<string | null> = (from, to) => {
  if (from === to) return "changes_nothing"
  if (from === null) return "lowers"
  if (to === null) return "raises"
  const order = compareDecimals(to, from)
  return order === 0 ? "changes_nothing" : order < 0 ? "lowers" : "raises"
}

const greater: Compare<string> = (from, to) => smaller(to, from)

/** A list of what is allowed: the fewer, the less may be lost; null allows everything. */
const fewer: Compare<ReadonlyArray<string> | null> = (from, to) => {
  if (from === null || to === null) return from === to ? "changes_nothing" : from === null ? "lowers" : "raises"
  if (to.some((one) => !from.includes(one))) return "raises"
  return from.every((one) => to.includes(one)) ? "changes_nothing" : "lowers"
}

const more: Compare<ReadonlyArray<string>> = (from, to) => fewer(to, from)

/** Minimums by currency: a greater one sends less. One that comes or goes cannot be compared, for without it the currency's own counts. */
const greaterEach: Compare<Readonly<Record<string, string>>> = (from, to) =>
  both(
    [...new Set([...Object.keys(from), ...Object.keys(to)])].map((key) => {
      const [before, after] = [from[key], to[key]]
      return before === undefined || after === undefined ? "raises" : greater(before, after)
    })
  )

/** By which rule each value of a policy is compared: one that has no rule does not compile. */
const policyRules: { readonly [F in keyof Required<PolicyValues>]: Compare<PolicyValues[F]> } = {
  environment: same,
  ip_allowlist: fewer,
  ceiling_per_minute: smaller,
  credit_origins: fewer,
  credit_historical: safeWhen(false),
  address_proof_required: safeWhen(true),
  signatures_required: more,
  hold_on_issuance: safeWhen(true),
  hold_on_import: safeWhen(true),
  hold_on_arrival: safeWhen(true),
  withdrawals_enabled: safeWhen(false),
  withdrawal_limit_usd: smaller,
  // the limit is per window: a longer one lets out less
  withdrawal_window_hours: greater,
  withdrawal_review_usd: smaller,
  destination_cooling_hours: greater,
  slippage_bps: smaller,
  payouts_enabled: safeWhen(false),
  payouts_off_on: more,
  payout_limit_usd: smaller,
  payout_daily_limit_usd: smaller,
  payout_new_address_limit_usd: smaller,
  payout_review_usd: smaller,
  payout_minimums: greaterEach,
  adjustment_review_usd: smaller
}

const comparePolicies: Compare<PolicyValues> = (from, to) => {
  const compare = <F extends keyof PolicyValues>(field: F): Direction => policyRules[field](from[field], to[field])
  return both((Object.keys(policyRules) as ReadonlyArray<keyof PolicyValues>).map(compare)) // the keys of that very object
}

type Minimums = Readonly<Record<string, string>>

/** Of two lists of what is allowed what both allow. */
const allowedByBoth = <A extends string>(one: ReadonlyArray<A>, other: ReadonlyArray<A>): ReadonlyArray<A> =>
  one.filter((part) => other.includes(part))

const allowedByEach = (one: ReadonlyArray<string> | null, other: ReadonlyArray<string> | null) =>
  one === null || other === null ? (one ?? other) : allowedByBoth(one, other)

/** Of two lists of what is demanded or off all of it. */
const demandedByAny = <A extends string>(one: ReadonlyArray<A>, other: ReadonlyArray<A>): ReadonlyArray<A> => [
  ...one,
  ...other.filter((part) => !one.includes(part))
]

/** The greater minimum of each currency that has an agreed one: another one cannot be compared with the currency's own. */
const greaterOfEach = (agreed: Minimums, row: Minimums): Minimums =>
  Object.fromEntries(
    Object.entries(agreed).map(([key, value]) => {
      const stored = row[key]
      return [key, stored !== undefined && greater(value, stored) === "lowers" ? stored : value]
    })
  )

/**
 * Of each value of what is agreed and of a row the one by which less may be lost, of lists part by part: it is never riskier than what is
 * agreed. What cannot be compared is as it is agreed.
 */
export const saferPolicy = (agreed: PolicyValues, row: PolicyValues): PolicyValues => {
  const safer = <F extends keyof PolicyValues>(field: F): PolicyValues[F] =>
    policyRules[field](agreed[field], row[field]) === "raises" ? agreed[field] : row[field]
  const fields = Object.keys(policyRules) as ReadonlyArray<keyof PolicyValues> // the keys of that very object
  const whole = Object.fromEntries(fields.map((field) => [field, safer(field)])) as PolicyValues // all of them, each with its own value
  return {
    ...whole,
    ip_allowlist: allowedByEach(agreed.ip_allowlist, row.ip_allowlist),
    credit_origins: allowedByBoth(agreed.credit_origins, row.credit_origins),
    signatures_required: demandedByAny(agreed.signatures_required, row.signatures_required),
    payouts_off_on: demandedByAny(agreed.payouts_off_on, row.payouts_off_on),
    payout_minimums: greaterOfEach(agreed.payout_minimums, row.payout_minimums)
  }
}

/** What becomes of a value that a document raises, where its row says less than stood before: only that comes which the document brings. */
type Raise<A> = (row: A, from: A, to: A) => A

const raiseAllowed: Raise<ReadonlyArray<string> | null> = (row, from, to) =>
  row === null || from === null || to === null ? to : to.filter((one) => row.includes(one) || !from.includes(one))

const raiseDemanded = <A extends string>(
  row: ReadonlyArray<A>,
  from: ReadonlyArray<A>,
  to: ReadonlyArray<A>
): ReadonlyArray<A> => [...to, ...row.filter((one) => !from.includes(one) && !to.includes(one))]

const raiseEach: Raise<Minimums> = (row, from, to) =>
  Object.fromEntries(
    Object.entries(to).map(([key, value]) => {
      const [stored, before] = [row[key], from[key]]
      const isKept = stored !== undefined && before !== undefined && greater(before, value) !== "raises"
      return [key, isKept && greater(stored, value) === "raises" ? stored : value]
    })
  )

/**
 * What a tenant's row says after a policy that raises something in place of the one before it. Nobody has approved more than that: what
 * operators have lowered of the rest without a grant stays lowered, also of the parts of a list.
 */
export const raisedPolicy = (
  row: PolicyValues,
  { from, to }: { readonly from: PolicyValues; readonly to: PolicyValues }
): PolicyValues => {
  const safer = saferPolicy(to, row)
  const isRaised = <F extends keyof PolicyValues>(field: F): boolean =>
    policyRules[field](from[field], to[field]) === "raises"
  const parts: PolicyValues = {
    ...to,
    ip_allowlist: raiseAllowed(row.ip_allowlist, from.ip_allowlist, to.ip_allowlist),
    credit_origins: to.credit_origins.filter(
      (one) => row.credit_origins.includes(one) || !from.credit_origins.includes(one)
    ),
    signatures_required: raiseDemanded(row.signatures_required, from.signatures_required, to.signatures_required),
    payouts_off_on: raiseDemanded(row.payouts_off_on, from.payouts_off_on, to.payouts_off_on),
    payout_minimums: raiseEach(row.payout_minimums, from.payout_minimums, to.payout_minimums)
  }
  const fields = Object.keys(policyRules) as ReadonlyArray<keyof PolicyValues> // the keys of that very object
  return Object.fromEntries(
    fields.map((field) => [field, isRaised(field) ? parts[field] : safer[field]])
  ) as PolicyValues // all of them, each with its own value
}

/**
 * Taking away people and keys lowers a risk; everything else raises it, a higher quorum as well: with one, a single person could make
 * sure that nobody is ever enough.
 */
const compareApprovers: Compare<ApproverSet> = (from, to) => {
  const keysOf = ({ approvers }: ApproverSet) =>
    approvers.flatMap(({ id, keys }) => keys.map((key) => `${id}|${key.type}|${keyName(key)}|${key.public_key}`))
  const quorumsOf = ({ quorum, quorums }: ApproverSet) =>
    JSON.stringify([quorum, Object.entries(quorums).toSorted(([one], [other]) => (one < other ? -1 : 1))])
  const namesOf = ({ approvers }: ApproverSet) => approvers.map(({ id, name }) => `${id}|${name}`)
  return both([
    fewer(keysOf(from), keysOf(to)),
    fewer(namesOf(from), namesOf(to)),
    quorumsOf(from) === quorumsOf(to) ? "changes_nothing" : "raises"
  ])
}

const compareStanding: Compare<{ readonly state: "ACTIVE" | "REVOKED" }> = (from, to) =>
  from.state === to.state ? "changes_nothing" : to.state === "REVOKED" ? "lowers" : "raises"

const compareLimits: Compare<GrantValues<"currency_limit">> = (from, to) =>
  both([
    smaller(from.per_payment, to.per_payment),
    smaller(from.per_hour, to.per_hour),
    smaller(from.per_day, to.per_day)
  ])

/** By which rule the grants of each kind are compared with the one that they replace. */
const rules: { readonly [K in GrantKind]: Compare<GrantValues<K>> } = {
  approvers: compareApprovers,
  network: (from, to) => safeWhen(true)(from.stopped, to.stopped),
  api_key: compareStanding,
  signing_key: compareStanding,
  destination: compareStanding,
  policy: comparePolicies,
  payout_wallet: compareStanding,
  issuing_account: compareStanding,
  currency_limit: compareLimits,
  suspension: (from, to) => safeWhen(true)(from.suspended, to.suspended),
  // each is new
  adjustment: () => "raises",
  // so is each time that people say yes to an operation
  review: () => "raises",
  adoption: () => "changes_nothing"
}

/** What holds of a subject that no grant has ever named, where that is anything. */
const unsaid = <K extends GrantKind>(kind: K, to: GrantValues<K>): GrantValues<K> | undefined => {
  if (kind === "network") return { ...to, stopped: false }
  if (kind === "suspension") return { ...to, suspended: false }
  if (kind === "currency_limit") return { ...to, per_payment: null, per_hour: null, per_day: null }
  return undefined
}

/** What a grant does to what may be lost, from the values that it replaces (undefined: no grant has named its subject) and its own. */
export const directionOf = <K extends GrantKind>(
  kind: K,
  from: GrantValues<K> | undefined,
  to: GrantValues<K>
): Direction => {
  const before = from ?? unsaid(kind, to)
  return before === undefined ? "raises" : rules[kind](before, to)
}
