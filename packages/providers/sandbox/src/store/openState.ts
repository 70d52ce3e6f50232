import { Effect, Ref, Schema, Semaphore } from "effect"
import { type SandboxStore, StoreError } from "./SandboxStore.ts"

/** What an area of the sandbox knows, in memory and in the store. */
export interface StoredState<A> {
  readonly get: Effect.Effect<A>
  /** Changes it, keeps it, and only then lets it be seen. One change after the other. */
  readonly update: (change: (state: A) => A) => Effect.Effect<void, StoreError>
}

/** Reads what an area knew at the last stop, or begins with what is given. What cannot be read fails: nothing is forgotten in silence. */
export const openState = Effect.fn("openState")(function* <A>(
  store: SandboxStore,
  area: string,
  schema: Schema.Codec<A, Schema.Json>,
  initial: A
): Effect.fn.Return<StoredState<A>, StoreError> {
  const json = Schema.fromJsonString(schema)
  const unreadable = (error: { readonly message: string }) => new StoreError({ area, detail: error.message })
  const text = yield* store.read(area)
  const known = text === null ? initial : yield* Effect.mapError(Schema.decodeEffect(json)(text), unreadable)
  const state = yield* Ref.make(known)
  const oneAtATime = Semaphore.makeUnsafe(1)
  return {
    get: Ref.get(state),
    update: (change) =>
      Effect.gen(function* () {
        const next = change(yield* Ref.get(state))
        yield* store.write(area, yield* Effect.mapError(Schema.encodeEffect(json)(next), unreadable))
        yield* Ref.set(state, next)
      }).pipe(Effect.uninterruptible, Semaphore.withPermits(oneAtATime, 1))
  }
})
