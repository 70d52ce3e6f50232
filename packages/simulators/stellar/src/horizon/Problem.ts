import type { JsonObject } from "../json.ts"

/** What Horizon answers instead of what was asked for. */
export class Problem {
  readonly status: number
  readonly body: JsonObject
  constructor(status: number, type: string, title: string, detail: string, extras?: JsonObject) {
    this.status = status
    this.body = { type: `https://stellar.org/horizon-errors/${type}`, title, status, detail, extras }
  }
}

/** There is nothing there. */
export const notFound = new Problem(
  404,
  "not_found",
  "Resource Missing",
  "The resource at the url requested was not found.  This usually occurs for one of two reasons:  " +
    "The url requested is not valid, or no data in our database could be found with the parameters provided."
)

/** A parameter that cannot be read. */
export const badRequest = (field: string, reason: string): Problem =>
  new Problem(400, "bad_request", "Bad Request", "The request you sent was invalid in some way.", {
    invalid_field: field,
    reason
  })

/** What Horizon says of an envelope that it cannot read. */
export const malformedTransaction = (envelope: string): Problem =>
  new Problem(
    400,
    "transaction_malformed",
    "Transaction Malformed",
    "Horizon could not decode the transaction envelope in this request. A transaction should be an XDR " +
      "TransactionEnvelope struct encoded using base64.  The envelope read from this request is echoed in the " +
      "`extras.envelope_xdr` field of this response for your convenience.",
    { envelope_xdr: envelope }
  )

/** What Horizon says when a transaction has not come into a ledger in time. It may still. */
export const submissionTimeout = (hash: string, envelope: string): Problem =>
  new Problem(
    504,
    "transaction_submission_timeout",
    "Transaction Submission Timeout",
    "Your transaction submission request has timed out. This does not necessarily mean the submission has failed. " +
      "Before resubmitting, please use the transaction hash provided in `extras.hash` to poll the GET /transactions " +
      "endpoint for sometime and check if it was included in a ledger.",
    { hash, envelope_xdr: envelope }
  )

/** What Horizon says of a transaction that was refused or has failed. */
export const failedTransaction = (envelope: string, resultXdr: string, codes: JsonObject): Problem =>
  new Problem(
    400,
    "transaction_failed",
    "Transaction Failed",
    "The transaction failed when submitted to the stellar network. The `extras.result_codes` field on this response " +
      "contains further details.  Descriptions of each code can be found at: " +
      "https://developers.stellar.org/api/errors/http-status-codes/horizon-specific/transaction-failed/",
    { envelope_xdr: envelope, result_codes: codes, result_xdr: resultXdr }
  )
