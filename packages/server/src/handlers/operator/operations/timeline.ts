import type { TimelineEntry } from "@bursar/api/operator/OperatorOperation"
import { toIso, type Timestamp } from "@bursar/core/base/Timestamp"
import type { Json } from "@bursar/core/base/Json"
import { format } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { WholeOperation } from "./wholeOperation.ts"

/** One thing that happened, before it is written out. */
interface Happened {
  readonly at: Timestamp
  readonly what: string
  readonly by?: string | null
  readonly detail?: string | null
}

const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const textOrNull = (value: Json | undefined): string | null => (typeof value === "string" ? value : null)

/** A moment and words of an object in an operation's details. */
const noted = (value: Json | undefined, at: string) => {
  if (!isObject(value)) return undefined
  const moment = value[at]
  return typeof moment === "number" ? { at: moment, of: value } : undefined
}

/** What its postings did: each is one moment, and says what its legs are. */
const postings = ({ legs }: WholeOperation, currencies: CurrencyTable): ReadonlyArray<Happened> =>
  [...Map.groupBy(legs, ({ postingSeq }) => postingSeq).values()].flatMap((posting) => {
    const [first] = posting
    if (first === undefined) return []
    const written = posting.map(
      ({ account, currency, direction, units }) =>
        `${account} ${direction} ${format(units, currencies.byCode(currency)?.decimals ?? 0)} ${currency}`
    )
    return [
      { at: first.postedAt, what: [...new Set(posting.map(({ what }) => what))].join("+"), detail: written.join("; ") }
    ]
  })

const inDetails = ({ operation: { details } }: WholeOperation): ReadonlyArray<Happened> => {
  const waits = noted(details["waits"], "since")
  const review = noted(details["review"], "at")
  const contradiction = noted(details["contradiction"], "at")
  const sentAt = details["sent_at"]
  return [
    ...(waits === undefined ? [] : [{ at: waits.at, what: "waits", detail: textOrNull(waits.of["detail"]) }]),
    ...(review === undefined
      ? []
      : [
          {
            at: review.at,
            what: `review_${(textOrNull(review.of["state"]) ?? "decided").toLowerCase()}`,
            by: textOrNull(review.of["by"]),
            detail: textOrNull(review.of["reason"])
          }
        ]),
    ...(typeof sentAt === "number" ? [{ at: sentAt, what: "sent" }] : []),
    ...(contradiction === undefined
      ? []
      : [{ at: contradiction.at, what: "contradicted", detail: textOrNull(contradiction.of["said"]) }])
  ]
}

const transactions = ({ signed }: WholeOperation): ReadonlyArray<Happened> =>
  signed.flatMap(({ attempt: { hash, sentAt, signedAt } }) => [
    { at: signedAt, what: "signed", detail: hash },
    ...(sentAt === null ? [] : [{ at: sentAt, what: "sent", detail: hash }])
  ])

const words = ({ evidence, resolutions }: WholeOperation): ReadonlyArray<Happened> => [
  ...evidence.map(({ givenAt, givenBy, note }) => ({ at: givenAt, what: "evidence", by: givenBy, detail: note })),
  ...resolutions.flatMap(
    ({ createdAt, decidedAt, decidedBy, outcome, proposedBy, reference, rejectedReason, state }) => [
      { at: createdAt, what: "resolution_proposed", by: proposedBy, detail: `${outcome}: ${reference}` },
      ...(decidedAt === null
        ? []
        : [{ at: decidedAt, what: `resolution_${state.toLowerCase()}`, by: decidedBy, detail: rejectedReason }])
    ]
  )
]

const told = ({ events, operation: { details } }: WholeOperation): ReadonlyArray<Happened> =>
  events.map(({ kind, occurredAt }) => ({
    at: occurredAt,
    what: kind,
    by: kind.endsWith(".failed") ? textOrNull(details["cancelled_by"]) : null,
    detail: kind.endsWith(".unresolved")
      ? textOrNull(details["unresolved_because"])
      : kind.endsWith(".failed")
        ? textOrNull(details["failure_detail"] ?? details["failure_reason"])
        : null
  }))

/** What happened to an operation, oldest first; who did it, where somebody did. */
export const timelineOf = (whole: WholeOperation, currencies: CurrencyTable): ReadonlyArray<TimelineEntry> => {
  const accepted: Happened = { at: whole.operation.createdAt, what: "accepted", by: whole.payout?.madeBy ?? null }
  const all: ReadonlyArray<Happened> = [
    accepted,
    ...postings(whole, currencies),
    ...inDetails(whole),
    ...transactions(whole),
    ...words(whole),
    ...told(whole)
  ]
  return all
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, by = null, detail = null, what }) => ({ at: toIso(at), what, by, detail }))
}
