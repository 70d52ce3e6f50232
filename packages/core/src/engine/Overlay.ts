import type { ReadSet } from "./Read.ts"
import { type RecordKind, recordKinds, type RecordMaps, type Records } from "./Records.ts"
import type { WrittenRecords } from "./WriteSet.ts"

/** A layer of what a batch has written over what was loaded. What was not declared cannot be read. */
export class Overlay<K, V> {
  readonly written = new Map<K, V>()
  private readonly declared: { has(key: K): boolean }
  private readonly loaded: ReadonlyMap<K, V>
  private readonly what: string
  constructor(what: string, declared: { has(key: K): boolean }, loaded: ReadonlyMap<K, V>) {
    this.what = what
    this.declared = declared
    this.loaded = loaded
  }
  get(key: K): V | undefined {
    const written = this.written.get(key)
    if (written !== undefined) return written
    if (!this.declared.has(key))
      throw new Error(`the command did not declare that it reads ${this.what} ${String(key)}`)
    return this.loaded.get(key)
  }
  /** What is known of a key that a command may not have declared: enough to write over it. */
  peek(key: K): V | undefined {
    return this.written.get(key) ?? this.loaded.get(key)
  }
  set(key: K, value: V): void {
    this.written.set(key, value)
  }
  values(): ReadonlyArray<V> {
    return [...this.written.values()]
  }
}

/** Records of all kinds, as they were loaded and as the batch has put them. */
export class RecordOverlay {
  private readonly reads: ReadSet
  private readonly loaded: RecordMaps
  // a map of one kind holds records of that kind alone
  private readonly written = new Map<RecordKind, Map<string, Records[RecordKind]>>()
  constructor(reads: ReadSet, loaded: RecordMaps) {
    this.reads = reads
    this.loaded = loaded
  }
  get<K extends RecordKind>(kind: K, key: string): Records[K] | undefined {
    const written = this.written.get(kind)?.get(key) as Records[K] | undefined // see `written`
    if (written !== undefined) return written
    const found = this.loaded[kind]?.get(key)
    if (this.reads.records.get(kind)?.has(key) !== true) {
      const group = found === undefined ? null : recordKinds[kind].group(found)
      if (group === null || this.reads.recordGroups.get(kind)?.has(group) !== true)
        throw new Error(`the command did not declare that it reads the ${kind} ${key}`)
    }
    return found
  }
  group<K extends RecordKind>(kind: K, group: string): ReadonlyArray<Records[K]> {
    if (this.reads.recordGroups.get(kind)?.has(group) !== true)
      throw new Error(`the command did not declare that it reads the group ${group} of ${kind}`)
    const all = new Map<string, Records[K]>(this.loaded[kind])
    for (const [key, record] of this.written.get(kind) ?? []) all.set(key, record as Records[K]) // see `written`
    return [...all.entries()]
      .filter(([, record]) => recordKinds[kind].group(record) === group)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([, record]) => record)
  }
  put<K extends RecordKind>(kind: K, record: Records[K]): void {
    const records = this.written.get(kind) ?? new Map<string, Records[RecordKind]>()
    records.set(recordKinds[kind].key(record), record)
    this.written.set(kind, records)
  }
  writes(): WrittenRecords {
    return Object.fromEntries([...this.written].map(([kind, records]) => [kind, [...records.values()]]))
  }
}
