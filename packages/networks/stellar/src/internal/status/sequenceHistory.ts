import type { ChainError } from "@bursar/core/port/Chain"
import { Effect } from "effect"
import { decoded, inconsistent } from "../rpc/NodeAnswer.ts"
import { page } from "../rpc/wire.ts"
import { envelopeOf, TransactionAnswer } from "./findTransaction.ts"
import type { Envelope } from "../read/Envelope.ts"
import type { SenderContext } from "../build/SenderContext.ts"
import { remember } from "../build/Spans.ts"

/** How many transactions a page has, unless so many are too large to be read. It needs two: each page begins with the last of the one before. */
const [pageMin, pageMax] = [2, 200]

/** How many pages are read at once. What is left is read when it is asked for again. */
const pagesMax = 50

const TransactionsPage = page(TransactionAnswer)

/** What an account's history says of its sequence numbers. */
export interface Uses {
  /** The transactions that used up numbers of the account from one on, the newest first, failed ones included. */
  readonly uses: ReadonlyArray<Envelope>
  /** Whether history was seen to reach below the number, or to the end of what the node keeps. */
  readonly complete: boolean
  /** Whether an operation in it raised the account's number to that one or past it, whoever paid for its transaction. */
  readonly leapt: boolean
}

const emptyPage = { _embedded: { records: [] } }

/**
 * The transactions that used up sequence numbers of an account from `number` on. The account need not exist any more. What was read before is not
 * read again, though the reading failed further down: what is in a closed ledger stays as it is. Each page begins with the last transaction of the one
 * before: a node that is behind the one that answered first would leave out what it does not have. Pages are halved where they are too large: whoever pays
 * dust to an account chooses how long its transactions are.
 */
export const sequenceHistory = Effect.fn("StellarSender.usesOf")(function* (
  { http, networkPassphrase, spans }: SenderContext,
  account: string,
  number: bigint
): Effect.fn.Return<Uses, ChainError> {
  const doing = `read the transactions of ${account}`
  const name = `${account}|${number}`
  const before = spans.get(name)
  const uses: Array<Envelope> = []
  let leapt = false
  let newest: bigint | undefined
  let cursor: string | undefined
  let joined = false
  let complete = false
  let limit = pageMax
  const note = () => {
    if (newest !== undefined && cursor !== undefined)
      remember(spans, name, { newest, cursor, uses: [...uses], leapt, complete })
  }
  for (let pages = 0; pages < pagesMax && !complete; pages += 1) {
    const query = { order: "desc", limit: String(limit), include_failed: "true" }
    const from = cursor === undefined ? {} : { cursor: (BigInt(cursor) + 1n).toString() }
    const part = yield* http.getPage(doing, `accounts/${account}/transactions`, { ...query, ...from }).pipe(
      Effect.catchIf(
        ({ reason }) => reason === "absent",
        () => Effect.succeed({ answer: emptyPage })
      )
    )
    if (part === undefined) {
      if (limit === pageMin) return yield* inconsistent(doing, "two of them are too large to be read")
      limit = Math.max(pageMin, Math.floor(limit / 2))
      continue
    }
    const { records } = (yield* decoded(doing, TransactionsPage, part.answer))._embedded
    let ended = records.length < limit
    if (cursor !== undefined && records[0]?.paging_token !== cursor) {
      // what is remembered may be of no history at all: it is read anew
      if (before === undefined || joined) spans.delete(name)
      return yield* inconsistent(doing, "its pages do not join: the node that answered is behind another")
    }
    for (const record of cursor === undefined ? records : records.slice(1)) {
      const token = BigInt(record.paging_token)
      if (before !== undefined && !joined && token <= before.newest) {
        joined = true
        uses.push(...before.uses)
        leapt ||= before.leapt
        newest ??= before.newest
        cursor = before.cursor
        complete = before.complete
        ended = false
        break
      }
      const envelope = yield* envelopeOf(doing, networkPassphrase, record)
      if (record.hash !== envelope.hash && record.hash !== envelope.inner) {
        return yield* inconsistent(doing, `the envelope of ${record.hash} is that of ${envelope.hash}`)
      }
      newest ??= token
      cursor = record.paging_token
      leapt ||= record.successful && envelope.leaps.some((leap) => leap.account === account && leap.to >= number)
      const own = envelope.source === account
      if (own && envelope.sequence < number) {
        ended = true
        break
      }
      if (own) uses.push(envelope)
    }
    complete ||= ended
    // what is remembered reaches further down than what has not met it yet
    if (!complete && (before === undefined || joined)) note()
  }
  if (!complete || spans.has(name)) note()
  return { uses, leapt, complete }
})
