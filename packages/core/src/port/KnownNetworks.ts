import { Context, type Effect } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { StorageError } from "../engine/StorageError.ts"
import type { KeyFamily, Network } from "../money/Network.ts"

/** A chain, told from all others for as long as it exists. */
export interface ChainName {
  readonly family: KeyFamily
  /** What the family tells its chains apart by: a chain id, the first block, the passphrase that transactions are signed for. */
  readonly id: string
}

/** What is remembered of a name that was switched on once. */
export interface KnownNetwork {
  readonly name: Network
  /** The chain that the name stands for; null while no node has confirmed it. */
  readonly chain: ChainName | null
  readonly firstSeen: Timestamp
}

/** Why a name cannot stand for a chain: it stands for another one, or another name stands for that chain. */
export type BindingConflict =
  | { readonly _tag: "OtherChain"; readonly chain: ChainName }
  | { readonly _tag: "OtherName"; readonly name: Network }

const same = (one: ChainName, other: ChainName): boolean => one.family === other.family && one.id === other.id

/** Why a name cannot stand for a chain by what is remembered; undefined where it does already, or can. Pure. */
export const bindingConflict = (
  known: Iterable<KnownNetwork>,
  name: Network,
  wanted: ChainName
): BindingConflict | undefined => {
  let conflict: BindingConflict | undefined
  for (const { chain, name: bound } of known) {
    if (chain === null) continue
    if (bound === name) return same(chain, wanted) ? undefined : { _tag: "OtherChain", chain }
    if (same(chain, wanted)) conflict = { _tag: "OtherName", name: bound }
  }
  return conflict
}

/**
 * The names of networks that a database knows, each bound to its chain for good: what stands under a name is on that chain. A name is
 * never taken out, and a chain never has two names.
 */
export class KnownNetworks extends Context.Service<
  KnownNetworks,
  {
    /** By name. */
    readonly all: Effect.Effect<ReadonlyArray<KnownNetwork>, StorageError>
    /** Remembers names that are switched on. One that is known stays as it is. */
    readonly note: (names: ReadonlyArray<Network>, at: Timestamp) => Effect.Effect<void, StorageError>
    /**
     * Binds a name to a chain that a node of it has confirmed, and remembers the name where it is new. It is one step: of two that bind the
     * same name or the same chain at once, one is refused. Where it cannot be, it changes no binding and says why.
     */
    readonly bind: (
      name: Network,
      chain: ChainName,
      at: Timestamp
    ) => Effect.Effect<BindingConflict | undefined, StorageError>
  }
>()("@bursar/core/port/KnownNetworks") {}
