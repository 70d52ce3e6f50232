import type { StorageError } from "@bursar/core/engine/StorageError"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Exit, Request, RequestResolver } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { attempt } from "./attempt.ts"
import { isId } from "./ids.ts"

interface Wanted<K, A> extends Request.Request<A, StorageError> {
  readonly tenantId: TenantId
  readonly key: K
  /** Equal keys have equal texts. */
  readonly text: string
}

/** How many keys one statement looks up at most. */
const keysMax = 1_000

/** How things of one kind are read. */
export interface BatchedOptions<K, A> {
  readonly doing: string
  /** A key in writing: equal keys have equal texts. */
  readonly text: (key: K) => string
  /** What there is of some keys of a tenant, by the texts of the keys. No key is given twice. */
  readonly read: (
    tenantId: TenantId,
    keys: ReadonlyArray<K>
  ) => Effect.Effect<{ readonly get: (text: string) => A | undefined }, SqlError>
  /** What stands for a key of which there is nothing. */
  readonly none: A
}

/**
 * Reads things of one kind by their keys: those of a tenant that are wanted at the same moment are read by one statement, which begins
 * after all of them were wanted. A tenant that cannot be has nothing. A row that cannot be read is kept from whoever wants it, and from nobody else.
 *
 * **Gotchas**
 *
 * Not for reads within a transaction: the statement runs on the session of whoever asked first.
 */
export const batched = <K, A>({ doing, none, read, text }: BatchedOptions<K, A>) => {
  const wanted = Request.of<Wanted<K, A>>()
  const resolver = RequestResolver.makeGrouped<Wanted<K, A>, TenantId>({
    key: ({ request }) => request.tenantId,
    resolver: (entries, tenantId) => {
      const keys = new Map(entries.map(({ request }) => [request.text, request.key]))
      const reading = (some: ReadonlyArray<K>) => read(tenantId, some).pipe(attempt(doing))
      // a row that cannot be read may be one of many: then each is read by itself
      const readEach = Effect.gen(function* () {
        for (const [key, value] of keys) {
          const found = yield* Effect.exit(reading([value]))
          const answer = Exit.map(found, (all) => all.get(key) ?? none)
          for (const entry of entries) if (entry.request.text === key) entry.completeUnsafe(answer)
        }
      })
      return reading([...keys.values()]).pipe(
        Effect.map((found) => {
          for (const entry of entries) entry.completeUnsafe(Exit.succeed(found.get(entry.request.text) ?? none))
        }),
        Effect.catchDefect((defect) => (keys.size > 1 ? readEach : Effect.die(defect)))
      )
    }
  }).pipe(RequestResolver.batchN(keysMax))
  return (tenantId: TenantId, key: K): Effect.Effect<A, StorageError> =>
    isId(tenantId) ? Effect.request(wanted({ tenantId, key, text: text(key) }), resolver) : Effect.succeed(none)
}

/** Reads one thing of a tenant: all who want it at the same moment share an answer, which is read after they wanted it. */
export const sharedRead = <A>({
  doing,
  none,
  read
}: Pick<BatchedOptions<null, A>, "doing" | "none"> & {
  readonly read: (tenantId: TenantId) => Effect.Effect<A, SqlError>
}) => {
  const reading = batched<null, A>({
    doing,
    none,
    text: () => "",
    read: (tenantId) => Effect.map(read(tenantId), (found) => new Map([["", found]]))
  })
  return (tenantId: TenantId) => reading(tenantId, null)
}
