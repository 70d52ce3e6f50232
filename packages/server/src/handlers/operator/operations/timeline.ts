import type { TimelineEntry } from "@bursar/api/operator/OperatorOperation"
import { toIso, type Timestamp } from "@bursar/core/base/Timestamp"
import { amountInWords } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { closedContradictionsOf, contradictionsOf } from "@bursar/core/operation/contradictions"
import type { WholeOperation } from "./wholeOperation.ts"

/** One thing that happened, before it is written out. */
interface Happened {
  readonly at: Timestamp
  readonly what: string
  readonly by?: string | null
  readonly detail?: string | null
}

/** What its postings did: each is one moment, and says what its legs are. */
const postings = ({ legs }: WholeOperation, currencies: CurrencyTable): ReadonlyArray<Happened> =>
  [...Map.groupBy(legs, ({ postingSeq }) => postingSeq).values()].flatMap((posting) => {
    const [first] = posting
    if (first === undefined) return []
    const written = posting.map(
      ({ account, currency, direction, units }) =>
        `${account} ${direction} ${amountInWords(currencies, units, currency)} ${currency}`
    )
    return [
      { at: first.postedAt, what: [...new Set(posting.map(({ what }) => what))].join("+"), detail: written.join("; ") }
    ]
  })

/** What was said against the operation, and how operators have closed it: all at once. */
const contradictions = ({ operation }: WholeOperation): ReadonlyArray<Happened> => {
  const closed = closedContradictionsOf(operation)
  const closings = Map.groupBy(closed, ({ closed_at: at, closed_by: by }) => `${at} ${by}`).values()
  return [
    ...[...closed, ...contradictionsOf(operation)].map(({ at, said }) => ({ at, what: "contradicted", detail: said })),
    ...[...closings].flatMap(([first]) =>
      first === undefined
        ? []
        : [{ at: first.closed_at, what: "contradiction_closed", by: first.closed_by, detail: first.reason }]
    )
  ]
}

const inDetails = ({ operation }: WholeOperation): ReadonlyArray<Happened> => {
  const { review, sent_at: sentAt, waits } = operation.details
  return [
    ...(waits === undefined ? [] : [{ at: waits.since, what: "waits", detail: waits.detail }]),
    ...(review?.at == null
      ? []
      : [
          {
            at: review.at,
            what: `review_${review.state.toLowerCase()}`,
            by: review.by ?? null,
            detail: review.reason ?? null
          }
        ]),
    ...(sentAt === undefined ? [] : [{ at: sentAt, what: "sent" }])
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
    by: kind.endsWith(".failed") ? (details.cancelled_by ?? null) : null,
    detail: kind.endsWith(".unresolved")
      ? (details.unresolved_because ?? null)
      : kind.endsWith(".failed")
        ? (details.failure_detail ?? details.failure_reason ?? null)
        : null
  }))

/** What happened to an operation, oldest first; who did it, where somebody did. */
export const timelineOf = (whole: WholeOperation, currencies: CurrencyTable): ReadonlyArray<TimelineEntry> => {
  const accepted: Happened = { at: whole.operation.createdAt, what: "accepted", by: whole.payout?.madeBy ?? null }
  const all: ReadonlyArray<Happened> = [
    accepted,
    ...postings(whole, currencies),
    ...inDetails(whole),
    ...contradictions(whole),
    ...transactions(whole),
    ...words(whole),
    ...told(whole)
  ]
  return all
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, by = null, detail = null, what }) => ({ at: toIso(at), what, by, detail }))
}
