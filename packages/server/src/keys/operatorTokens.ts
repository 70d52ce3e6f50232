import type { OperatorRole } from "@bursar/api/operator/Operator"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import { createHash, timingSafeEqual } from "node:crypto"

/** An operator with a token of its own. The configuration knows the token's hash alone. */
export interface NamedOperator {
  /** In lower case. */
  readonly name: string
  readonly role: OperatorRole
  /** {@link hashToken} of the token. */
  readonly tokenHash: string
  /** The moment from which the token is refused; null where it does not expire. */
  readonly expiresAt: Timestamp | null
}

const digestOf = (token: string): Buffer => createHash("sha256").update(token, "utf8").digest()

/** The hash under which the configuration knows a token: SHA-256, lower-case hex. Tokens are random, so it needs no salt. */
export const hashToken = (token: string): string => digestOf(token).toString("hex")

/** Whose token it is. Every hash is compared, so that nobody can tell from the time which one came near. */
export const ownerOf = (operators: ReadonlyArray<NamedOperator>, token: string): NamedOperator | undefined => {
  const digest = digestOf(token)
  const equal = operators.map(({ tokenHash }) => {
    const expected = Buffer.from(tokenHash, "hex")
    return expected.length === digest.length && timingSafeEqual(expected, digest)
  })
  return operators[equal.indexOf(true)]
}
