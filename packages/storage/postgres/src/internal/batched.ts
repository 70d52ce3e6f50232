import { isUuid } from "@bursar/core/base/uuid"
import type { StorageError } from "@bursar/core/engine/StorageError"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Cause, Deferred, Effect, Exit } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { attempt } from "./attempt.ts"

/** What somebody waits for. All who want the same share it. */
interface Wanted<K, A> {
  readonly key: K
  readonly answer: Deferred.Deferred<A, StorageError>
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

/** Takes the first that wait, by the texts of their keys. */
const takeSome = <K, A>(waiting: Map<string, Wanted<K, A>>): ReadonlyMap<string, Wanted<K, A>> => {
  const taken = new Map<string, Wanted<K, A>>()
  for (const [text, wanted] of waiting) {
    if (taken.size === keysMax) break
    taken.set(text, wanted)
    waiting.delete(text)
  }
  return taken
}

/**
 * Reads things of one kind by their keys. What is wanted of a tenant while a statement for it is on its way waits and shares the next one,
 * which begins after all of it was wanted; who wants the same shares an answer. A tenant never shares a statement with another, and one that
 * cannot be has nothing. A row that cannot be read is kept from whoever wants it, and from nobody else.
 *
 * **Gotchas**
 *
 * Not for reads within a transaction: the statement runs on the session of whoever asked first.
 */
export const batched = <K, A>({ doing, none, read, text }: BatchedOptions<K, A>) => {
  const lines = new Map<TenantId, Map<string, Wanted<K, A>>>()

  const readSome = (tenantId: TenantId, some: ReadonlyMap<string, Wanted<K, A>>): Effect.Effect<void> =>
    Effect.flatMap(
      Effect.exit(
        Effect.suspend(() =>
          read(
            tenantId,
            Array.from(some.values(), ({ key }) => key)
          )
        ).pipe(attempt(doing))
      ),
      (exit) => {
        // a row that cannot be read may be one of many: then each is read by itself
        if (Exit.isFailure(exit) && some.size > 1 && Cause.hasDies(exit.cause))
          return Effect.forEach(some, (one) => readSome(tenantId, new Map([one])), { discard: true })
        for (const [name, { answer }] of some)
          Deferred.doneUnsafe(
            answer,
            Exit.map(exit, (found) => found.get(name) ?? none)
          )
        return Effect.void
      }
    )

  /** Reads what a tenant wants until it wants nothing more. It belongs to nobody who waits: each may go away. */
  const drain = (tenantId: TenantId, waiting: Map<string, Wanted<K, A>>): Effect.Effect<void> =>
    Effect.gen(function* () {
      // what is wanted at the same moment goes along
      yield* Effect.yieldNow
      while (waiting.size > 0) yield* readSome(tenantId, takeSome(waiting))
      // at once, before the fiber can give way: who asks from now on has it read anew
      lines.delete(tenantId)
    }).pipe(
      // whoever waits is told, whatever else ends the reading
      Effect.onError((cause) =>
        Effect.sync(() => {
          if (lines.get(tenantId) === waiting) lines.delete(tenantId)
          for (const { answer } of waiting.values()) Deferred.doneUnsafe(answer, Exit.failCause(cause))
        })
      )
    )

  return (tenantId: TenantId, key: K): Effect.Effect<A, StorageError> => {
    if (!isUuid(tenantId)) return Effect.succeed(none)
    return Effect.withFiber(({ context }) => {
      const name = text(key)
      const line = lines.get(tenantId)
      const wanted = line?.get(name) ?? { key, answer: Deferred.makeUnsafe<A, StorageError>() }
      if (line !== undefined) line.set(name, wanted)
      else {
        const waiting = new Map([[name, wanted]])
        lines.set(tenantId, waiting)
        Effect.runForkWith(context)(drain(tenantId, waiting))
      }
      return Deferred.await(wanted.answer)
    })
  }
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
