import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import { holdsRole, type Operator, operatorCredentials, operatorRoles } from "@bursar/api/operator/Operator"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { OperatorPass, OperatorPassKind } from "@bursar/core/port/OperatorSessions"
import { Redacted, Result } from "effect"
import { createHmac, randomBytes } from "node:crypto"
import type { ServerSettings } from "../config/ServerConfig.ts"
import { deriveSecret, equalSecrets } from "../keys/hashKey.ts"
import { hashToken } from "../keys/operatorTokens.ts"

/** For how long a pass lets in, in milliseconds: a link for five minutes, a session for four hours. */
const livesMs: Readonly<Record<OperatorPassKind, number>> = { LINK: 300_000, SESSION: 14_400_000 }

/** The length of a secret in bytes. */
const secretBytes = 32

const invalid = (message: string): Result.Result<never, ApiError> => Result.fail(apiError("key_invalid", { message }))

type Settings = Pick<ServerSettings, "keyPepper" | "operators" | "operatorToken" | "signIn">

/** An operator's credential as the configuration has it now. */
interface Standing {
  /** What it is told from a later one by. */
  readonly digest: string
  /** Null where the configuration gives it no end. */
  readonly expiresAt: Timestamp | null
}

/** An operator's credential; undefined where the configuration no longer has it. */
const standingOf = (
  { operators = [], operatorToken, signIn = null }: Settings,
  { credential, name }: Pick<Operator["Service"], "credential" | "name">
): Standing | undefined => {
  switch (credential) {
    case "token": {
      const known = operators.find((one) => one.name === name)
      return known && { digest: known.tokenHash, expiresAt: known.expiresAt }
    }
    case "shared_token":
      return operatorToken === null || operators.length > 0 || signIn !== null
        ? undefined
        : { digest: hashToken(Redacted.value(operatorToken)), expiresAt: null }
    case "openid_connect": {
      const subject = signIn?.operators.find((one) => one.name === name)?.subject
      return subject === undefined ? undefined : { digest: hashToken(subject), expiresAt: null }
    }
  }
}

/** Seals a pass to all that it says and to the credential that it stands on. */
const sealOf = (
  { keyPepper }: Pick<Settings, "keyPepper">,
  pass: Omit<OperatorPass, "seal">,
  standsOn: Pick<Standing, "digest">
): string => {
  const { createdAt, credential, credentialExpiresAt, digest, expiresAt, kind, operator, role } = pass
  const key = Redacted.value(deriveSecret(keyPepper, "operator sessions"))
  const times = [createdAt, expiresAt, credentialExpiresAt]
  const said = JSON.stringify([digest, kind, operator, role, credential, ...times, standsOn.digest])
  return createHmac("sha256", key).update(said).digest("hex")
}

const earlier = (one: Timestamp, other: Timestamp | null): Timestamp => (other === null ? one : Math.min(one, other))

/** Makes a pass for an operator, and the secret that it is known by. It never lives longer than the credential. */
export const makePass = (
  settings: Settings,
  {
    kind,
    now,
    operator
  }: { readonly kind: OperatorPassKind; readonly now: Timestamp; readonly operator: Operator["Service"] }
): Result.Result<{ readonly pass: OperatorPass; readonly secret: string }, ApiError> => {
  const { credential, expiresAt, name, role } = operator
  const secret = randomBytes(secretBytes).toString("base64url")
  const ends = earlier(now + livesMs[kind], expiresAt)
  // clocks may differ a little: a token of an identity provider is taken for some seconds after its end
  if (ends <= now) return invalid("Your credential has expired: ask for another.")
  const about = {
    digest: hashToken(secret),
    kind,
    operator: name,
    credential,
    role,
    createdAt: now,
    expiresAt: ends,
    credentialExpiresAt: expiresAt
  }
  const standsOn = standingOf(settings, operator)
  return standsOn === undefined
    ? invalid("You are no operator of this service any more.")
    : Result.succeed({ secret, pass: { ...about, seal: sealOf(settings, about, standsOn) } })
}

/** The role that the configuration gives now, and no more than the pass had. */
const roleNow = (
  { operators = [], signIn = null }: Settings,
  { credential, operator, role: text }: OperatorPass
): Operator["Service"]["role"] | undefined => {
  const had = operatorRoles.find((one) => one === text)
  const known = credential === "openid_connect" ? (signIn?.operators ?? []) : operators
  const now = credential === "shared_token" ? "admin" : known.find(({ name }) => name === operator)?.role
  if (had === undefined || now === undefined) return undefined
  return holdsRole(now, had) ? had : now
}

/**
 * Who a pass lets in now, and until when: a session until its own end, a link until that of the credential. A pass ends with its time, with the
 * credential that it stands on, and with the person's place among operators.
 */
export const operatorOfPass = (
  settings: Settings,
  pass: OperatorPass | undefined,
  { kind, now }: { readonly kind: OperatorPassKind; readonly now: Timestamp }
): Result.Result<Operator["Service"], ApiError> => {
  if (pass === undefined || pass.kind !== kind || pass.expiresAt <= now)
    return invalid(kind === "LINK" ? "The link was used, or has expired: ask for another." : "Sign in again.")
  const credential = operatorCredentials.find((one) => one === pass.credential)
  const role = roleNow(settings, pass)
  const name = pass.operator
  const standsOn = credential && standingOf(settings, { credential, name })
  const isSame = standsOn !== undefined && equalSecrets(Redacted.make(sealOf(settings, pass, standsOn)), pass.seal)
  if (!isSame || role === undefined || credential === undefined)
    return invalid("Sign in again: your credential is not what it was.")
  // the configuration may have given it an end since
  if (standsOn.expiresAt !== null && standsOn.expiresAt <= now)
    return invalid("Sign in again: your credential has expired.")
  const ends = kind === "LINK" ? pass.credentialExpiresAt : pass.expiresAt
  const expiresAt = ends === null ? standsOn.expiresAt : earlier(ends, standsOn.expiresAt)
  return Result.succeed({ name, role, credential, expiresAt })
}
