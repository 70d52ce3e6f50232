import { Redacted, Result, Schema } from "effect"

/** A master key is not what it must be. Says what to do; never shows the key. */
export class MasterKeyInvalid extends Schema.TaggedError<MasterKeyInvalid>()("MasterKeyInvalid", {
  message: Schema.String
}) {}

/** Master keys by id. New secrets are sealed under the current one; the others only open what they sealed before. */
export interface MasterKeys {
  readonly current: string
  readonly byId: ReadonlyMap<string, Redacted.Redacted<Uint8Array>>
}

const entry = /^([a-z0-9]{1,16}):([A-Za-z0-9+/]{43}=)$/u

/**
 * Reads `VAULT_MASTER_KEY`: `id:base64` entries of 32 bytes each, separated by commas, the current one first. To rotate,
 * put a new entry in front and keep the old ones until everything is sealed anew.
 */
export const parseMasterKeys = (text: Redacted.Redacted): Result.Result<MasterKeys, MasterKeyInvalid> => {
  const byId = new Map<string, Redacted.Redacted<Uint8Array>>()
  for (const part of Redacted.value(text).split(",")) {
    const match = entry.exec(part.trim())
    const [, id = "", base64 = ""] = match ?? []
    if (match === null) {
      return Result.fail(
        new MasterKeyInvalid({
          message: "a master key is written <id>:<32 bytes in base64>, several separated by commas"
        })
      )
    }
    if (byId.has(id)) return Result.fail(new MasterKeyInvalid({ message: `master key ${id} is given twice` }))
    byId.set(id, Redacted.make(new Uint8Array(Buffer.from(base64, "base64")), { label: `master key ${id}` }))
  }
  const [current = ""] = byId.keys()
  return Result.succeed({ current, byId })
}
