import { Writer } from "@bursar/core/engine/Writer"
import { resealSecrets } from "@bursar/core/webhook/endpointCommands"
import { KeyStore } from "@bursar/core/port/KeyStore"
import { Queries } from "@bursar/core/store/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import { VaultError } from "@bursar/core/port/Vault"
import { Effect } from "effect"
import { rewrap } from "./internal/envelope.ts"
import { ownerOf } from "./internal/ownerOf.ts"
import { reseal } from "./MasterKeySecretBox.ts"
import type { MasterKeys } from "./MasterKeys.ts"

type MasterKey = MasterKeys["byId"] extends ReadonlyMap<string, infer Key> ? Key : never

const pageSize = 200

/** How many secrets a re-encryption came by. */
export interface Reencrypted {
  /** Put under the current master key. */
  readonly changed: number
  /** There already. */
  readonly current: number
}

const opening = <A>(what: string, open: () => A): Effect.Effect<A, VaultError> =>
  Effect.try({
    try: open,
    catch: () => new VaultError({ doing: `open ${what}`, reason: "its master key is not here, or it has been altered" })
  })

const keysOf = Effect.fnUntraced(function* (keys: MasterKeys) {
  const store = yield* KeyStore
  const done = { changed: 0, current: 0 }
  let page = yield* store.page(undefined, pageSize)
  while (page.length > 0) {
    for (const key of page) {
      const what = `the key ${key.id} (${key.kind}) of tenant ${key.tenantId}`
      const sealed = yield* opening(what, () => rewrap(keys, ownerOf(key), key.sealed))
      if (sealed === undefined) done.current += 1
      // where it changed in the meantime, another run was faster
      else if (yield* store.reseal(key, sealed)) done.changed += 1
    }
    page = yield* store.page(page.at(-1), pageSize)
  }
  return done
})

const webhookSecrets = Effect.fnUntraced(function* (keys: MasterKeys) {
  const queries = yield* Queries
  const writer = yield* Writer
  const done = { changed: 0, current: 0 }
  const { tenants, unreadable } = yield* (yield* Tenants).list
  // of one whose row cannot be read too: its secrets are under the key that is to be taken away
  for (const { id: tenantId } of [...tenants, ...unreadable]) {
    for (const endpoint of yield* queries.endpoints(tenantId)) {
      const anew = (sealed: string) =>
        opening(`a secret of the webhook endpoint ${endpoint.id}`, () => reseal(keys, tenantId, sealed))
      const secret = yield* anew(endpoint.secret)
      const nextSecret = endpoint.nextSecret === null ? undefined : yield* anew(endpoint.nextSecret)
      if (secret === undefined && nextSecret === undefined) {
        done.current += 1
        continue
      }
      const after = { secret: secret ?? endpoint.secret, nextSecret: nextSecret ?? endpoint.nextSecret }
      yield* writer.submit(tenantId, resealSecrets(endpoint, after))
      done.changed += 1
    }
  }
  return done
})

/**
 * Puts every sealed key under the current master key, so that older ones can be taken out of the configuration: seeds, imported keys and
 * wrapping keys, which are not opened for it. The service may go on meanwhile. Ends with a VaultError at the first that no key here opens;
 * what was done until then stays, and running it again goes on.
 */
export const reencryptKeys = Effect.fn("Vault.reencryptKeys")(keysOf)

/**
 * Puts the secrets of webhook endpoints under the current one of some keys. `earlier` are keys that only open: those of the vault, under which
 * a version before sealed them. Ends as {@link reencryptKeys} does.
 */
export const reencryptSecrets = Effect.fn("Vault.reencryptSecrets")(function* (
  keys: MasterKeys,
  earlier: ReadonlyMap<string, MasterKey> = new Map()
) {
  const both = [...earlier.keys()].find((id) => keys.byId.has(id))
  if (both !== undefined) {
    return yield* new VaultError({
      doing: "encrypt the secrets of webhooks",
      reason: `${both} names two keys: give the key of secrets another id than that of the vault`
    })
  }
  return yield* webhookSecrets({ current: keys.current, byId: new Map([...earlier, ...keys.byId]) })
})
