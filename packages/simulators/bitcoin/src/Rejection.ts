/** Why a transaction is not taken. Thrown by the checks, which are plain functions, and caught where a transaction comes in. */
export class Rejection extends Error {
  /** The short reason, as `testmempoolaccept` gives it. */
  readonly reason: string
  /** The reason with its details, as `sendrawtransaction` gives it. */
  readonly details: string
  constructor(reason: string, details?: string) {
    super(details ?? reason)
    this.reason = reason
    this.details = details ?? reason
  }
}
