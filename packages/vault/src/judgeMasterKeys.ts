import { KeyStore } from "@bursar/core/port/KeyStore"
import { Effect } from "effect"
import { checkMasterKey } from "./internal/envelope.ts"
import { ownerOf } from "./internal/ownerOf.ts"
import { sealedIn } from "./internal/sealedFiles.ts"
import type { MasterKeys } from "./MasterKeys.ts"

/** What the sealed keys say of the master keys, by id. */
export interface MasterKeyVerdicts {
  /** Those that open something that was sealed under their id. */
  readonly right: ReadonlySet<string>
  /** Those that open nothing of it, though there is something: other keys had these ids. */
  readonly wrong: ReadonlySet<string>
  /** Ids that something was sealed under, and that no key here has. */
  readonly missing: ReadonlySet<string>
}

const pageSize = 500

/** The id of the master key that a text says it is sealed under; undefined where no key could have it. */
const idIn = (sealed: string): string | undefined => /^v2\.([a-z0-9]{1,16})\./u.exec(sealed)?.[1]

const makeJudge = (keys: MasterKeys) => {
  const [seen, right] = [new Set<string>(), new Set<string>()]
  return {
    look: (owner: string, sealed: string) => {
      const id = idIn(sealed)
      if (id === undefined || right.has(id)) return
      seen.add(id)
      try {
        checkMasterKey(keys, owner, sealed)
        right.add(id)
      } catch {
        // it says nothing by itself: one that was altered opens with no key
      }
    },
    verdicts: (): MasterKeyVerdicts => {
      const others = [...seen].filter((id) => !right.has(id))
      const isHere = (id: string) => keys.byId.has(id)
      return {
        right,
        wrong: new Set(others.filter(isHere)),
        missing: new Set(others.filter((id) => !isHere(id)))
      }
    }
  }
}

/**
 * Compares master keys with what is sealed, in the store of keys and in the folder of a custody of sealed files, and opens no secret. An id is taken
 * for that of another key only where nothing opens that was sealed under it: what was altered opens with no key.
 */
export const judgeMasterKeys = Effect.fn("Vault.judgeMasterKeys")(function* (keys: MasterKeys, folder?: string) {
  const store = yield* KeyStore
  const judge = makeJudge(keys)
  let page = yield* store.page(undefined, pageSize)
  while (page.length > 0) {
    for (const key of page) judge.look(ownerOf(key), key.sealed)
    page = yield* store.page(page.at(-1), pageSize)
  }
  if (folder !== undefined) for (const { owner, sealed } of yield* sealedIn(folder)) judge.look(owner, sealed)
  return judge.verdicts()
})
