import { judgeUnder, type SignerStore } from "@bursar/signer"
import { fingerprintOf } from "@bursar/vault/ceremony"
import { judgeMasterKeys, type MasterKeyVerdicts } from "@bursar/vault/judgeMasterKeys"
import { masterKeyChecks } from "@bursar/vault/masterKeyChecks"
import { Clock, Effect, Redacted } from "effect"
import type { SignSettings } from "../config/Settings.ts"
import { SettingsInvalid } from "../config/SettingsInvalid.ts"
import { auditKeysOf, masterKeysOf } from "./vault.ts"

const named = (settings: SignSettings, id: string): string => {
  const key = masterKeysOf(settings).byId.get(id)
  return key === undefined ? id : `${id} (fingerprint ${fingerprintOf(Redacted.value(key))})`
}

const anotherKey = (key: string, seen: string) =>
  `VAULT_MASTER_KEY: ${key} is another key than the one that had this id here: ${seen}. Give the right key, or give this one an id of its own`

const refuse = (mistakes: ReadonlyArray<string>) =>
  mistakes.length > 0 ? Effect.fail(new SettingsInvalid({ mistakes })) : Effect.void

/**
 * Compares the master keys with what is sealed. A wrong key under a known id would seal keys that no configuration can open beside the others, so what
 * the signer's own files say against one refuses the start. What the database says is told alone: whoever writes to it needs no key for it. So are ids
 * that are missing, which can come back.
 */
export const checkMasterKeys = Effect.fn("assemble.checkMasterKeys")(function* (settings: SignSettings) {
  const { directory, names } = settings.custody
  const folder = names.includes("sealed") && directory !== null ? directory : undefined
  const verdicts = yield* judgeMasterKeys(masterKeysOf(settings), folder)
  const { missing, right, unopenedFiles, unopenedRows } = verdicts
  for (const [masterKey, { id: keyId, kind, tenantId }] of unopenedRows) {
    const fields = { masterKey, opensOthers: right.has(masterKey), tenantId, kind, keyId }
    yield* Effect.annotateLogs(Effect.logError("signer.master_key_doubted"), fields)
  }
  for (const masterKey of missing)
    yield* Effect.annotateLogs(Effect.logError("signer.master_key_missing"), { masterKey })
  yield* refuse(
    [...unopenedFiles]
      .filter((id) => !right.has(id))
      .map((id) => anotherKey(named(settings, id), "it opens none of the files of keys that were encrypted under it"))
  )
  return verdicts
})

/**
 * Compares the master keys with those that the signer's store knows, by what they gave at the first start with each, or else by the newest seal of the audit
 * log, unless something shows that its key is the right one: what followed on it would break the log for ever. From then on the store knows those that open all there is.
 */
export const checkKnownKeys = Effect.fn("assemble.checkKnownKeys")(function* (
  settings: SignSettings,
  store: SignerStore,
  { right, unopenedFiles, unopenedRows }: MasterKeyVerdicts
) {
  const seal = store.register.auditSeal()
  const keys = [...masterKeyChecks(masterKeysOf(settings))].map(([id, check]) => ({
    id,
    check,
    known: store.register.masterKeyCheckOf(id)
  }))
  const seenOtherwise = ({ check, id, known }: (typeof keys)[number]): string | undefined => {
    if (known !== undefined) return known === check ? undefined : "the signer's store knows it by what it gives"
    if (seal?.keyId !== id || right.has(id)) return undefined
    return judgeUnder(auditKeysOf(settings))(seal) === "wrong"
      ? `seal ${seal.number} of the audit log was not made with it`
      : undefined
  }
  yield* refuse(
    keys.flatMap((key) => {
      const seen = seenOtherwise(key)
      return seen === undefined ? [] : [anotherKey(named(settings, key.id), seen)]
    })
  )
  // a wrong key that was used once opens what it made: where it does not open the rest, it is not taken for known
  const isDoubted = (id: string) => unopenedFiles.has(id) || unopenedRows.has(id)
  for (const { check, id, known } of keys)
    if (known === undefined && !isDoubted(id))
      yield* store.commit({ _tag: "MasterKeyKnown", at: yield* Clock.currentTimeMillis, keyId: id, check })
})
