import { isUnstorable, type StorageError } from "@bursar/core/engine/StorageError"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import type { Fenced } from "@bursar/core/port/Leadership"
import { Array as Arr, Effect } from "effect"
import { storageFailed } from "../queue/apart.ts"
import type { Watch } from "./Watch.ts"

/** How what came is submitted. */
export interface Submitting<A, B, R> {
  /** What came: whose it is, and what is told of it where it cannot be stored. */
  readonly of: (one: A) => Pick<Deposit, "tenantId" | "transferIndex" | "txHash">
  /** Some of one tenant, in one command. */
  readonly submit: (some: Arr.NonEmptyReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, Fenced | StorageError, R>
}

const halving = <A, B, R>(
  some: Arr.NonEmptyReadonlyArray<A>,
  how: Submitting<A, B, R>
): Effect.Effect<ReadonlyArray<B>, Fenced | StorageError, R> =>
  Effect.catchIf(how.submit(some), isUnstorable, (error) => {
    if (some.length > 1)
      return Effect.map(
        Effect.forEach(Arr.chunksOf(some, Math.ceil(some.length / 2)), (half) => halving(half, how)),
        Arr.flatten
      )
    const { tenantId, transferIndex, txHash } = how.of(some[0])
    const about = { loop: "watch", tenant: tenantId, txHash, transferIndex: String(transferIndex) }
    return Effect.as(storageFailed(about, error), [])
  })

/**
 * Submits what came, per tenant. Where the storage cannot hold what becomes of one of them, the others go on without it: halves of the command
 * are submitted until it is alone. That is told (`storage.failed`), and it comes again with the next pass.
 */
export const eachStorable = <A, B, R>(
  { limits }: Watch,
  all: ReadonlyArray<A>,
  how: Submitting<A, B, R>
): Effect.Effect<ReadonlyArray<B>, Fenced | StorageError, R> =>
  Effect.forEach(
    Map.groupBy(all, (one) => how.of(one).tenantId),
    ([, ofTenant]) => Effect.forEach(Arr.chunksOf(ofTenant, limits.depositsPerCommandMax), (some) => halving(some, how))
  ).pipe(Effect.map((ends) => ends.flat(2)))
