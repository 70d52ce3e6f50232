import type { ChainError } from "@bursar/core/port/Chain"
import { Effect } from "effect"
import { decoded, inconsistent } from "../NodeAnswer.ts"
import { page } from "../wire.ts"
import { type Envelope, envelopeOf, TransactionAnswer } from "./findTransaction.ts"
import type { Sending } from "./Sending.ts"

const pageMax = 200

/** How far back an account's history is looked through. */
const pagesMax = 50

const TransactionsPage = page(TransactionAnswer)

/**
 * The transactions that used up sequence numbers of an account from `number` on, the newest first, failed ones included. The
 * account need not exist any more. `complete` says whether the history of the account was seen to reach below the number, or to
 * the end of what the node keeps.
 */
export const usesOf = Effect.fn("StellarSender.usesOf")(function* (
  { http, networkPassphrase }: Sending,
  account: string,
  number: bigint
): Effect.fn.Return<{ readonly uses: ReadonlyArray<Envelope>; readonly complete: boolean }, ChainError> {
  const doing = `read the transactions of ${account}`
  const uses: Array<Envelope> = []
  let cursor: string | undefined
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const query = { order: "desc", limit: String(pageMax), include_failed: "true" }
    const answer = yield* http
      .get(doing, `accounts/${account}/transactions`, cursor === undefined ? query : { ...query, cursor })
      .pipe(
        Effect.catchIf(
          ({ reason }) => reason === "absent",
          () => Effect.succeed({ _embedded: { records: [] } })
        )
      )
    const { records } = (yield* decoded(doing, TransactionsPage, answer))._embedded
    for (const record of records) {
      const envelope = yield* envelopeOf(doing, networkPassphrase, record)
      if (record.hash !== envelope.hash && record.hash !== envelope.inner) {
        return yield* inconsistent(doing, `the envelope of ${record.hash} is that of ${envelope.hash}`)
      }
      const own = envelope.source === account
      if (own && envelope.sequence < number) return { uses, complete: true }
      if (own) uses.push(envelope)
      cursor = record.paging_token
    }
    if (records.length < pageMax) return { uses, complete: true }
  }
  return { uses, complete: false }
})
