import type { StorageError } from "@bursar/core/engine/StorageError"
import { KeyStore } from "@bursar/core/port/KeyStore"
import type { SealedKey } from "@bursar/core/port/SealedKey"
import { Effect } from "effect"
import { checkMasterKey } from "./internal/envelope.ts"
import { ownerOf } from "./internal/ownerOf.ts"
import { sealedIn } from "./internal/sealedFiles.ts"
import type { MasterKeys } from "./MasterKeys.ts"

/** What the sealed keys say of the master keys, by id. */
export interface MasterKeyVerdicts {
  /** Those that open something that was sealed under their id. */
  readonly right: ReadonlySet<string>
  /** A key of the store of keys by the id of the master key that does not open it. Whoever writes to that store needs no master key to add one. */
  readonly unopenedRows: ReadonlyMap<string, SealedKey>
  /** The ids of master keys that do not open a file that was sealed under them. */
  readonly unopenedFiles: ReadonlySet<string>
  /** Ids that something was sealed under, and that no key here has. */
  readonly missing: ReadonlySet<string>
}

const pageSize = 500

/** The id of the master key that a text says it is sealed under; undefined where no key could have it. */
const idIn = (sealed: string): string | undefined => /^v2\.([a-z0-9]{1,16})\./u.exec(sealed)?.[1]

const makeJudge = <A extends { readonly sealed: string }>(keys: MasterKeys, ownerIn: (one: A) => string) => {
  const right = new Set<string>()
  /** What did not open, the first by each id. */
  const unopened = new Map<string, A>()
  return {
    right,
    unopened,
    look: (one: A) => {
      const id = idIn(one.sealed)
      if (id === undefined) return
      try {
        checkMasterKey(keys, ownerIn(one), one.sealed)
        right.add(id)
      } catch {
        if (!unopened.has(id)) unopened.set(id, one)
      }
    }
  }
}

/**
 * Compares master keys with what is sealed, in the store of keys and in the folder of a custody of sealed files, and opens no secret. What does not open
 * says nothing by itself: what was altered opens with no key.
 */
export const judgeMasterKeys = Effect.fn("Vault.judgeMasterKeys")(function* (
  keys: MasterKeys,
  folder?: string
): Effect.fn.Return<MasterKeyVerdicts, StorageError, KeyStore> {
  const store = yield* KeyStore
  const rows = makeJudge<SealedKey>(keys, ownerOf)
  const inFiles = makeJudge<{ readonly owner: string; readonly sealed: string }>(keys, ({ owner }) => owner)
  let page = yield* store.page(undefined, pageSize)
  while (page.length > 0) {
    for (const key of page) rows.look(key)
    page = yield* store.page(page.at(-1), pageSize)
  }
  if (folder !== undefined) for (const file of yield* sealedIn(folder)) inFiles.look(file)
  const isHere = (id: string) => keys.byId.has(id)
  const files = new Set(inFiles.unopened.keys())
  return {
    right: new Set([...rows.right, ...inFiles.right]),
    unopenedRows: new Map([...rows.unopened].filter(([id]) => isHere(id))),
    unopenedFiles: new Set([...files].filter(isHere)),
    missing: new Set([...rows.unopened.keys(), ...files].filter((id) => !isHere(id)))
  }
})
