import { type BalanceRead, balanceKey } from "../ledger/Account.ts"
import type { Network } from "../money/Network.ts"
import { addressKey, type KeyName } from "./Directory.ts"
import type { AnyNewest, AnyRecord, RecordRead, SharedFact } from "./Records.ts"

/** Something that a decider wants to know. What it did not declare it cannot see. */
export type Read =
  | RecordRead
  | BalanceRead
  /** Whose an address is among all tenants. */
  | { readonly _tag: "LiveAddress"; readonly network: Network; readonly address: string }
  /** Whose a key is among all tenants. */
  | { readonly _tag: "KeyOwner"; readonly key: KeyName }

/** What a batch reads of one kind of record. */
export interface RecordReads {
  readonly of: AnyRecord
  /** Keys by their texts. */
  readonly keys: ReadonlyMap<string, unknown>
  readonly groups: ReadonlySet<string>
}

/** The groups of which a batch reads the newest record. */
export interface NewestReads {
  readonly of: AnyNewest
  readonly groups: ReadonlySet<string>
}

/** The keys of a shared fact that a batch reads. */
export interface FactReads {
  readonly of: SharedFact<unknown>
  readonly keys: ReadonlySet<string>
}

/** The union of what a batch of commands reads, without repetition: what an adapter loads in a few statements. */
export interface ReadSet {
  readonly balances: ReadonlyMap<string, BalanceRead>
  readonly liveAddresses: ReadonlyMap<string, { readonly network: Network; readonly address: string }>
  readonly keyOwners: ReadonlySet<KeyName>
  /** By the name of the kind. */
  readonly records: ReadonlyMap<string, RecordReads>
  /** By the name of the definition. */
  readonly newest: ReadonlyMap<string, NewestReads>
  /** By the name of the fact. */
  readonly facts: ReadonlyMap<string, FactReads>
}

const entryOf = <V>(all: Map<string, V>, name: string, make: () => V): V => {
  const known = all.get(name)
  if (known !== undefined) return known
  const made = make()
  all.set(name, made)
  return made
}

interface Gathered {
  readonly of: AnyRecord
  readonly keys: Map<string, unknown>
  readonly groups: Set<string>
}

/** Gathers what several commands read. */
export const collectReads = (all: Iterable<ReadonlyArray<Read>>): ReadSet => {
  const balances = new Map<string, BalanceRead>()
  const liveAddresses = new Map<string, { readonly network: Network; readonly address: string }>()
  const keyOwners = new Set<KeyName>()
  const records = new Map<string, Gathered>()
  const newest = new Map<string, { readonly of: AnyNewest; readonly groups: Set<string> }>()
  const facts = new Map<string, { readonly of: SharedFact<unknown>; readonly keys: Set<string> }>()
  const kindOf = (of: AnyRecord) => entryOf(records, of.name, () => ({ of, keys: new Map(), groups: new Set() }))
  for (const reads of all) {
    for (const read of reads) {
      switch (read._tag) {
        case "Record":
          kindOf(read.of).keys.set(read.of.text(read.key), read.key)
          break
        case "RecordGroup":
          kindOf(read.of).groups.add(read.group)
          break
        case "Newest":
          entryOf(newest, read.of.name, () => ({ of: read.of, groups: new Set() })).groups.add(read.group)
          break
        case "Fact":
          entryOf(facts, read.of.name, () => ({ of: read.of, keys: new Set() })).keys.add(read.key)
          break
        case "Balance":
          balances.set(balanceKey(read.account, read.currency), read)
          break
        case "LiveAddress":
          liveAddresses.set(addressKey(read.network, read.address), read)
          break
        case "KeyOwner":
          keyOwners.add(read.key)
          break
      }
    }
  }
  return { balances, liveAddresses, keyOwners, records, newest, facts }
}
