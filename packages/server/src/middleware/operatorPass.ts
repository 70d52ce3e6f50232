import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import {
  holdsRole,
  type Operator,
  type OperatorCredential,
  operatorCredentials,
  operatorRoles
} from "@bursar/api/operator/Operator"
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

/** What an operator's credential is told from a later one by; undefined where the configuration no longer has it. */
const credentialDigestOf = (
  { operators = [], operatorToken, signIn = null }: Settings,
  { credential, name }: Pick<Operator["Service"], "credential" | "name">
): string | undefined => {
  switch (credential) {
    case "token":
      return operators.find((one) => one.name === name)?.tokenHash
    case "shared_token":
      return operatorToken === null || operators.length > 0 || signIn !== null
        ? undefined
        : hashToken(Redacted.value(operatorToken))
    case "openid_connect": {
      const subject = signIn?.operators.find((one) => one.name === name)?.subject
      return subject === undefined ? undefined : hashToken(subject)
    }
  }
}

/** Seals a pass to all that it says and to the credential that it stands on; undefined where that is no credential of now. */
const sealOf = (
  settings: Settings,
  pass: Omit<OperatorPass, "seal">,
  credential: OperatorCredential
): string | undefined => {
  const { createdAt, digest, expiresAt, kind, operator, role } = pass
  const standsOn = credentialDigestOf(settings, { credential, name: operator })
  if (standsOn === undefined) return undefined
  const key = Redacted.value(deriveSecret(settings.keyPepper, "operator sessions"))
  const said = JSON.stringify([digest, kind, operator, role, credential, createdAt, expiresAt, standsOn])
  return createHmac("sha256", key).update(said).digest("hex")
}

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
  const ends = Math.min(now + livesMs[kind], expiresAt ?? Number.MAX_SAFE_INTEGER)
  const about = {
    digest: hashToken(secret),
    kind,
    operator: name,
    credential,
    role,
    createdAt: now,
    expiresAt: ends
  }
  const seal = sealOf(settings, about, credential)
  return seal === undefined
    ? invalid("You are no operator of this service any more.")
    : Result.succeed({ secret, pass: { ...about, seal } })
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

/** Who a pass lets in now. It ends with its time, with the credential that it stands on, and with the person's place among operators. */
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
  const seal = credential === undefined ? undefined : sealOf(settings, pass, credential)
  const isSame = seal !== undefined && equalSecrets(Redacted.make(seal), pass.seal)
  if (!isSame || role === undefined || credential === undefined)
    return invalid("Sign in again: your credential is not what it was.")
  return Result.succeed({ name, role, credential, expiresAt: pass.expiresAt })
}
