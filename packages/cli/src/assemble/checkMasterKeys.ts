import type { AuditSeal } from "@bursar/core/audit/AuditSeal"
import { judgeUnder } from "@bursar/signer"
import { fingerprintOf } from "@bursar/vault/ceremony"
import { judgeMasterKeys } from "@bursar/vault/judgeMasterKeys"
import { Effect, Redacted } from "effect"
import type { SignSettings } from "../config/Settings.ts"
import { SettingsInvalid } from "../config/SettingsInvalid.ts"
import { auditKeysOf, masterKeysOf } from "./vault.ts"

const named = (settings: SignSettings, id: string): string => {
  const key = masterKeysOf(settings).byId.get(id)
  return key === undefined ? id : `${id} (fingerprint ${fingerprintOf(Redacted.value(key))})`
}

const anotherKey = (key: string, seen: string) =>
  `VAULT_MASTER_KEY: ${key} is another key than the one that had this id here: ${seen}. Give the right key, or give this one an id of its own`

/**
 * Compares the master keys with what is sealed, and gives the ids of those that open it. A wrong key under a known id would seal keys that no
 * configuration can open beside the others. Ids that are missing can come back, so they are only told.
 */
export const checkMasterKeys = Effect.fn("assemble.checkMasterKeys")(function* (settings: SignSettings) {
  const { directory, names } = settings.custody
  const folder = names.includes("sealed") && directory !== null ? directory : undefined
  const { missing, right, wrong } = yield* judgeMasterKeys(masterKeysOf(settings), folder)
  const mistakes = [...wrong].map((id) =>
    anotherKey(named(settings, id), "it opens none of the keys that were encrypted under it")
  )
  if (mistakes.length > 0) return yield* new SettingsInvalid({ mistakes })
  for (const id of missing) yield* Effect.annotateLogs(Effect.logError("signer.master_key_missing"), { masterKey: id })
  return right
})

/**
 * Judges the newest seal of the audit log that the signer remembers, where nothing that is sealed has shown that its master key is the right one: what followed
 * on it would break the log for ever.
 */
export const checkRememberedSeal = Effect.fn("assemble.checkRememberedSeal")(function* (
  settings: SignSettings,
  seal: AuditSeal | undefined,
  opening: ReadonlySet<string>
) {
  if (seal !== undefined && !opening.has(seal.keyId) && judgeUnder(auditKeysOf(settings))(seal) === "wrong") {
    const seen = `seal ${seal.number} of the audit log was not made with it`
    return yield* new SettingsInvalid({ mistakes: [anotherKey(named(settings, seal.keyId), seen)] })
  }
})
