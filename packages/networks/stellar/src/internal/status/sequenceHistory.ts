import type { ChainError } from "@bursar/core/port/Chain"
import { Effect } from "effect"
import { decoded, inconsistent } from "../rpc/NodeAnswer.ts"
import { page } from "../rpc/wire.ts"
import { type Envelope, envelopeOf, TransactionAnswer } from "./findTransaction.ts"
import type { SenderContext } from "../build/SenderContext.ts"

const pageMax = 200

/** How far back an account's history is looked through. */
const pagesMax = 50

const TransactionsPage = page(TransactionAnswer)

/** What an account's history says of its sequence numbers. */
export interface Uses {
  /** The transactions that used up numbers of the account from one on, the newest first, failed ones included. */
  readonly uses: ReadonlyArray<Envelope>
  /** Whether history was seen to reach below the number, or to the end of what the node keeps. */
  readonly complete: boolean
  /** The ledger up to which the history is; undefined where the node does not say. */
  readonly through: number | undefined
}

const emptyPage = { answer: { _embedded: { records: [] } }, latestLedger: undefined }

/** The transactions that used up sequence numbers of an account from `number` on. The account need not exist any more. */
export const sequenceHistory = Effect.fn("StellarSender.usesOf")(function* (
  { http, networkPassphrase }: SenderContext,
  account: string,
  number: bigint
): Effect.fn.Return<Uses, ChainError> {
  const doing = `read the transactions of ${account}`
  const uses: Array<Envelope> = []
  let through: number | undefined
  let cursor: string | undefined
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const query = { order: "desc", limit: String(pageMax), include_failed: "true" }
    const { answer, latestLedger } = yield* http
      .getState(doing, `accounts/${account}/transactions`, cursor === undefined ? query : { ...query, cursor })
      .pipe(
        Effect.catchIf(
          ({ reason }) => reason === "absent",
          () => Effect.succeed(emptyPage)
        )
      )
    // What is newer than the first page is on no later one.
    if (cursor === undefined) through = latestLedger
    const { records } = (yield* decoded(doing, TransactionsPage, answer))._embedded
    for (const record of records) {
      const envelope = yield* envelopeOf(doing, networkPassphrase, record)
      if (record.hash !== envelope.hash && record.hash !== envelope.inner) {
        return yield* inconsistent(doing, `the envelope of ${record.hash} is that of ${envelope.hash}`)
      }
      const own = envelope.source === account
      if (own && envelope.sequence < number) return { uses, complete: true, through }
      if (own) uses.push(envelope)
      cursor = record.paging_token
    }
    if (records.length < pageMax) return { uses, complete: true, through }
  }
  return { uses, complete: false, through }
})
