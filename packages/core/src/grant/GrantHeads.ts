import { Effect } from "effect"
import type { StorageError } from "../engine/StorageError.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import type { GrantHead, GrantState } from "./GrantState.ts"
import { type GrantChainBroken, type GrantEntry, verifyKept } from "./verifyChain.ts"

/** The ends of chains of grants as somebody who goes by them has seen them, where whoever writes to the database does not come. */
export interface GrantHeads {
  /** The last grant that was seen; null is the fleet's chain. */
  readonly seen: (chain: TenantId | null) => GrantHead | undefined
  /** Remembers an end for good before anybody goes by it. */
  readonly keep: (chain: TenantId | null, head: GrantHead) => Effect.Effect<void, StorageError>
}

/** Remembers nothing beyond the life of a process. */
export const noHeads: GrantHeads = { seen: () => undefined, keep: () => Effect.void }

/**
 * Verifies the grants that follow on a state. The one that was the last when somebody looked before must be among them, or the chain was cut, rolled
 * back or rewritten.
 */
export const verifyPast = Effect.fnUntraced(function* <S extends GrantState>(
  known: S,
  entries: ReadonlyArray<GrantEntry>,
  {
    seen,
    verify
  }: {
    readonly seen: GrantHead | undefined
    readonly verify: (entries: ReadonlyArray<GrantEntry>, known: S) => Effect.Effect<S, GrantChainBroken>
  }
) {
  const upTo = Math.max(0, (seen?.number ?? 0) - known.head.number)
  const before = yield* verify(entries.slice(0, upTo), known)
  if (upTo > 0 && seen !== undefined)
    yield* verifyKept(known.tenantId, seen, before.head.number === seen.number ? before.head.hash : undefined)
  return yield* verify(entries.slice(upTo), before)
})
