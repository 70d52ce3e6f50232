import { createHash, timingSafeEqual } from "node:crypto"
import type { NamedOperator } from "../config/ServerConfig.ts"

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
