import type { AuditRecord } from "@bursar/core/audit/AuditRecord"
import { namedIds } from "@bursar/core/audit/namedIds"
import { readLog } from "@bursar/core/checker/verifyLog"
import type { TenantRows } from "@bursar/core/grant/importedGrants"
import { signingKeyText } from "@bursar/core/grant/importedGrants"
import { Effect } from "effect"
import { areTooLong } from "../../../middleware/actionValues.ts"

const keyRevoked = /\/keys\/:key_id\/revoke$/u
const signingKeyRevoked = /\/signing-keys\/:keyid\/revoke$/u

/** Whether a record may be about a key: what was changed names it, and a record that does not say what was changed may mean any. */
const mayMean = ({ content }: AuditRecord, apiKeyId: string): boolean =>
  content === null || areTooLong(content.values) || content.values.includes(apiKeyId)

const succeeded = ({ method, status }: AuditRecord): boolean => method === "POST" && status !== null && status < 300

/**
 * The API keys and signing keys of a tenant that are in force by their rows, and that an operator has revoked since they were made, by the log of
 * operators' actions: such a row came back from a backup, or somebody has put it back. Where that log is not whole, any of them may have been revoked.
 */
export const revokedBefore = Effect.fn("grants.revokedBefore")(function* ({
  apiKeys,
  signingKeys,
  tenant
}: TenantRows) {
  const revoked = new Map<string, string>()
  const reasonOf = ({ id, operator }: AuditRecord) =>
    `${operator} has revoked it, by record ${id} of the audit log, and its row says that it is in force`
  const wrong = yield* readLog((record) => {
    const { at, route } = record
    // versions before this one wrote paths down as they were asked for
    const params = namedIds(record.params)
    if (params["tenant_id"] !== tenant.id || !succeeded(record)) return
    if (keyRevoked.test(route))
      for (const { createdAt, id } of apiKeys)
        if (id === params["key_id"] && createdAt <= at) revoked.set(id, reasonOf(record))
    if (signingKeyRevoked.test(route))
      for (const key of signingKeys)
        if (key.keyid === params["keyid"] && key.createdAt <= at && mayMean(record, key.apiKeyId))
          revoked.set(signingKeyText(key), reasonOf(record))
  })
  if (wrong === null) return revoked
  // what is left of the log cannot say that nobody has revoked a key
  const may = `whether somebody has revoked it, the audit log cannot say: ${wrong}`
  const all = [...apiKeys.map(({ id }) => id), ...signingKeys.map(signingKeyText)]
  return new Map([...all.map((key) => [key, may] as const), ...revoked])
})
