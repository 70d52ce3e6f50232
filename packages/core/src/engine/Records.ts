import type { Timestamp } from "../base/Timestamp.ts"

/** What records of a kind need beyond being read and replaced by their key. */
export interface RecordTraits<A> {
  /**
   * A record is put once. A command that puts another of a key that its batch has put or loaded is a bug and fails alone; a commit that
   * would put one of a key that nobody has looked at fails.
   */
  readonly insertOnly?: true
  /**
   * A command puts a record once, because what it puts is made of what was there before: a sum, a counter, something that is used up. Two
   * parts of one decision see the same record, and the second put would undo the first. A command that puts one twice is a bug and fails alone.
   */
  readonly oncePerCommand?: true
  /** What of a record is such a sum, where the rest of it may be put again: a command that changes this puts the record once, as with `oncePerCommand`. */
  sum?(record: A): string | undefined
  /** A key belongs to one tenant among all tenants: a commit that would put a key of another tenant fails. */
  readonly unique?: true
  /** The tenant's `change_seq` of its last change: a number above the tenant's last must be the next one. */
  changeSeq?(record: A): number
  /** The moment from which it may be forgotten: what has expired may be deleted when others of its kind are put. */
  expiresAt?(record: A): Timestamp
}

/**
 * A kind of record that a feature keeps. The engine, the memory adapter and the table mapping follow from it: it is made in the
 * feature's folder, listed in `records.ts`, and mapped to its table by an adapter that has tables.
 *
 * Functions are methods, which TypeScript compares in both directions: so a definition of any record is an {@link AnyRecord}.
 */
export interface RecordDefinition<A, K = string> {
  /** Unique among all definitions. */
  readonly name: string
  /** What tells it from the tenant's other records of its kind. */
  key(record: A): K
  /** A key in writing: equal keys have equal texts. */
  text(key: K): string
  /** The group that it is loaded with, null where it is in none. Groups are small: they are loaded whole. */
  group(record: A): string | null
  readonly traits: RecordTraits<A>
}

/** A definition of records that are not known in detail. */
export type AnyRecord = RecordDefinition<unknown, unknown>

/** What a definition is made of. A key that is not a text needs `text`. */
export type RecordOptions<A, K> = {
  readonly name: string
  readonly key: (record: A) => K
  readonly group?: (record: A) => string | null
  readonly traits?: RecordTraits<A>
} & ([K] extends [string] ? { readonly text?: (key: K) => string } : { readonly text: (key: K) => string })

/** Defines a kind of record. Without `group` its records are read by their keys alone. */
export const defineRecord = <A, K = string>(options: RecordOptions<A, K>): RecordDefinition<A, K> => ({
  name: options.name,
  key: options.key,
  text: options.text ?? String,
  group: options.group ?? (() => null),
  traits: options.traits ?? {}
})

/** The newest record of each group: of groups that are too large to be loaded whole. */
export interface Newest<A> {
  /** Unique among all definitions of the newest. */
  readonly name: string
  readonly of: RecordDefinition<A, unknown>
  group(record: A): string
  /** The highest is the newest. It never falls while a record is in its group. */
  order(record: A): number
}

/** A definition of the newest of records that are not known in detail. */
export type AnyNewest = Newest<unknown>

/** Defines what the newest record of a group is. It is listed in `records.ts`: a store reads no others. */
export const defineNewest = <A>(newest: Newest<A>): Newest<A> => newest

/** Something that all tenants share and that no command changes, such as who leads a network. */
export interface SharedFact<A> {
  /** Unique among all facts. */
  readonly name: string
  /** What holds where nothing is known. */
  readonly none: A
}

/** Defines a shared fact. It is listed in `records.ts`: a store reads no others. */
export const defineFact = <A>(fact: SharedFact<A>): SharedFact<A> => fact

/** A record, all records of a group, the newest of a group, or a shared fact that a decider wants to know. */
export type RecordRead =
  | { readonly _tag: "Record"; readonly of: AnyRecord; readonly key: unknown }
  | { readonly _tag: "RecordGroup"; readonly of: AnyRecord; readonly group: string }
  | { readonly _tag: "Newest"; readonly of: AnyNewest; readonly group: string }
  | { readonly _tag: "Fact"; readonly of: SharedFact<unknown>; readonly key: string }

/** Says that a command reads one record. */
export const readRecord = <A, K>(of: RecordDefinition<A, K>, key: K): RecordRead => ({ _tag: "Record", of, key })

/** Says that a command reads all records of a group. */
export const readGroup = <A, K>(of: RecordDefinition<A, K>, group: string): RecordRead => ({
  _tag: "RecordGroup",
  of,
  group
})

/** Says that a command reads the newest record of a group. */
export const readNewest = <A>(of: Newest<A>, group: string): RecordRead => ({ _tag: "Newest", of, group })

/** Says that a command reads a shared fact. */
export const readFact = <A>(of: SharedFact<A>, key: string): RecordRead => ({ _tag: "Fact", of, key })

/** A record that a decider puts, whether it is new or replaces the one of its key. */
export interface RecordPut<A = unknown> {
  readonly _tag: "RecordPut"
  readonly of: RecordDefinition<A, unknown>
  readonly record: A
}

/** The change that puts a record. */
export const putRecord = <A, K>(of: RecordDefinition<A, K>, record: A): RecordPut<A> => ({
  _tag: "RecordPut",
  of,
  record
})

/** Whether a change puts a record of a kind. */
export const isPut = <A, K>(of: RecordDefinition<A, K>, change: { readonly _tag: string }): change is RecordPut<A> =>
  change._tag === "RecordPut" && (change as RecordPut).of.name === of.name // its tag says what it is

/** Records of one kind that a batch puts, each once in its last form. */
export interface WrittenRecords {
  readonly of: AnyRecord
  readonly records: ReadonlyArray<unknown>
}

/** Records by the name of their kind, then by the text of their key. */
export type RecordMaps = ReadonlyMap<string, ReadonlyMap<string, unknown>>

/** The records of one kind among those that were found or written. */
export const recordsIn = <A, K>(written: ReadonlyArray<WrittenRecords>, of: RecordDefinition<A, K>): ReadonlyArray<A> =>
  // under a name stand records of that kind alone
  (written.find((one) => one.of.name === of.name)?.records ?? []) as ReadonlyArray<A>
