import { KeyStore } from "@bursar/core/port/KeyStore"
import { VaultError } from "@bursar/core/port/Vault"
import { Effect } from "effect"
import { rewrap } from "./internal/envelope.ts"
import { ownerOf } from "./internal/ownerOf.ts"
import type { MasterKeys } from "./MasterKeys.ts"

const pageSize = 200

/** How many secrets a re-encryption came by. */
export interface Reencrypted {
  /** Put under the current master key. */
  readonly changed: number
  /** There already. */
  readonly current: number
}

/**
 * Puts every sealed secret under the current master key, so that older ones can be taken out of the configuration. The secrets
 * themselves are not opened, and the service may go on meanwhile. Ends with a VaultError at the first that no key here opens;
 * what was done until then stays, and running it again goes on.
 */
export const reencrypt = Effect.fn("Vault.reencrypt")(function* (keys: MasterKeys) {
  const store = yield* KeyStore
  const done = { changed: 0, current: 0 }
  let page = yield* store.page(undefined, pageSize)
  while (page.length > 0) {
    for (const key of page) {
      const sealed = yield* Effect.try({
        try: () => rewrap(keys, ownerOf(key), key.sealed),
        catch: () =>
          new VaultError({
            doing: `open ${key.kind} ${key.id} of tenant ${key.tenantId}`,
            reason: "its master key is not here, or it has been altered"
          })
      })
      if (sealed === undefined) done.current += 1
      // where it changed in the meantime, another run was faster
      else if (yield* store.reseal(key, sealed)) done.changed += 1
    }
    page = yield* store.page(page.at(-1), pageSize)
  }
  return done satisfies Reencrypted
})
