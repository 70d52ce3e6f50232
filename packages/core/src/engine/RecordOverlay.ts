import type { Timestamp } from "../base/Timestamp.ts"
import type { ReadSet, RecordReads } from "./Read.ts"
import type {
  AnyNewest,
  AnyRecord,
  Newest,
  RecordDefinition,
  RecordMaps,
  RecordPut,
  SharedFact,
  WrittenRecords
} from "./Records.ts"

/** What storage found of the records that a batch reads. What is not in a map is not there. */
export interface RecordsLoaded {
  /** Those that were asked for, all of the groups that were, and those whose ids the directory named. */
  readonly records: RecordMaps
  /** By the name of the definition, then by group. */
  readonly newest: RecordMaps
  /** By the name of the fact, then by key. */
  readonly facts: RecordMaps
}

/** A record that is to be put, and where. */
export interface Placed {
  readonly of: AnyRecord
  readonly record: unknown
  readonly key: string
  readonly group: string | null
}

const nothing: ReadonlyMap<string, unknown> = new Map()

/** The records of one kind as they were loaded and as the batch has put them. */
class KindOverlay {
  readonly of: AnyRecord
  readonly written = new Map<string, unknown>()
  private readonly loaded: ReadonlyMap<string, unknown>
  private readonly reads: RecordReads | undefined
  /** Keys by the groups in which their records are or have been; made when the first group is asked for. */
  private groups: Map<string, Set<string>> | undefined
  /** Groups as they were asked for since the last put: a command may ask for the same one with each thing that it is about. */
  private readonly asked = new Map<string, ReadonlyArray<unknown>>()

  constructor(of: AnyRecord, reads: RecordReads | undefined, loaded: ReadonlyMap<string, unknown>) {
    this.of = of
    this.reads = reads
    this.loaded = loaded
  }

  get(key: string, named: ReadonlySet<string>): unknown {
    const found = this.written.get(key) ?? this.loaded.get(key)
    if (found === undefined && this.reads?.keys.has(key) !== true && !named.has(key))
      throw new Error(`the command did not declare that it reads the ${this.of.name} ${key}`)
    return found
  }

  /** The records of a group, by their keys in ascending order. */
  group(group: string): ReadonlyArray<unknown> {
    if (this.reads?.groups.has(group) !== true)
      throw new Error(`the command did not declare that it reads the group ${group} of ${this.of.name}`)
    const known = this.asked.get(group)
    if (known !== undefined) return known
    const keys = (this.groups ??= this.grouped()).get(group) ?? []
    const found = [...keys].toSorted().flatMap((key) => {
      const record = this.written.get(key) ?? this.loaded.get(key)
      return this.of.group(record) === group ? [record] : []
    })
    this.asked.set(group, found)
    return found
  }

  /** Whether a record has another sum than the one of its key has that is there. */
  hasNewSum(key: string, record: unknown): boolean {
    const before = this.written.get(key) ?? this.loaded.get(key)
    return this.of.traits.sum?.(record) !== (before === undefined ? undefined : this.of.traits.sum?.(before))
  }

  /** Whether there is a record of a key that is not forgotten. */
  has(key: string, now: Timestamp): boolean {
    if (this.written.has(key)) return true
    const found = this.loaded.get(key)
    return found !== undefined && (this.of.traits.expiresAt?.(found) ?? now) >= now
  }

  put({ group, key, record }: Placed): void {
    this.written.set(key, record)
    this.asked.clear()
    if (this.groups !== undefined) this.note(this.groups, key, group)
  }

  private grouped(): Map<string, Set<string>> {
    const groups = new Map<string, Set<string>>()
    for (const all of [this.loaded, this.written])
      for (const [key, record] of all) this.note(groups, key, this.of.group(record))
    return groups
  }

  private note(groups: Map<string, Set<string>>, key: string, group: string | null): void {
    if (group === null) return
    const keys = groups.get(group)
    if (keys === undefined) groups.set(group, new Set([key]))
    else keys.add(key)
  }
}

/** Records of all kinds, the newest of groups and shared facts, as they were loaded and as the batch has put them. */
export class RecordOverlay {
  private readonly reads: ReadSet
  private readonly loaded: RecordsLoaded
  /** Ids that the directory named: the view may look at their records, whatever they are of. */
  private readonly named: ReadonlySet<string>
  private readonly kinds = new Map<string, KindOverlay>()

  constructor(reads: ReadSet, loaded: RecordsLoaded, named: ReadonlySet<string>) {
    this.reads = reads
    this.loaded = loaded
    this.named = named
  }

  private kind(of: AnyRecord): KindOverlay {
    const known = this.kinds.get(of.name)
    if (known !== undefined) return known
    const made = new KindOverlay(of, this.reads.records.get(of.name), this.loaded.records.get(of.name) ?? nothing)
    this.kinds.set(of.name, made)
    return made
  }

  get<A, K>(of: RecordDefinition<A, K>, key: K): A | undefined {
    return this.kind(of).get(of.text(key), this.named) as A | undefined // a kind holds records of its definition alone
  }

  group<A, K>(of: RecordDefinition<A, K>, group: string): ReadonlyArray<A> {
    return this.kind(of).group(group) as ReadonlyArray<A> // see `get`
  }

  newest<A>(of: Newest<A>, group: string): A | undefined {
    if (this.reads.newest.get(of.name)?.groups.has(group) !== true)
      throw new Error(`the command did not declare that it reads the newest ${of.name} of ${group}`)
    const any: AnyNewest = of
    let newest = this.loaded.newest.get(of.name)?.get(group)
    for (const record of this.kind(of.of).written.values()) {
      if (any.group(record) === group && (newest === undefined || any.order(record) >= any.order(newest)))
        newest = record
    }
    return newest as A | undefined // see `get`
  }

  fact<A>(of: SharedFact<A>, key: string): A {
    const reads = this.reads.facts.get(of.name)
    if (reads?.keys.has(key) !== true) throw new Error(`the command did not declare that it reads ${of.name} ${key}`)
    const found = this.loaded.facts.get(of.name)?.get(key)
    return found === undefined ? of.none : (found as A) // an adapter gives of a fact what it is defined as
  }

  /**
   * Where some records belong, all of one command. Throws where a definition cannot tell it, or a record that is put once would be put a second
   * time: so nothing of the command has been put by then.
   */
  place(puts: ReadonlyArray<RecordPut>, now: Timestamp): ReadonlyArray<Placed> {
    const placed = puts.map(({ of, record }): Placed => ({
      of,
      record,
      key: of.text(of.key(record)),
      group: of.group(record)
    }))
    this.checkOnce(placed, now)
    return placed
  }

  private checkOnce(all: ReadonlyArray<Placed>, now: Timestamp): void {
    // whether what was put of a place must be all that is put of it
    const seen = new Map<string, boolean>()
    for (const { key, of, record } of all) {
      const { insertOnly, oncePerCommand, sum } = of.traits
      if (insertOnly !== true && oncePerCommand !== true && sum === undefined) continue
      const place = `${of.name}|${key}`
      if (insertOnly === true && (seen.has(place) || this.kind(of).has(key, now)))
        throw new Error(`the ${of.name} ${key} is there already`)
      const before = seen.get(place)
      const alone = oncePerCommand === true || this.kind(of).hasNewSum(key, record)
      if (before === true || (before === false && alone))
        throw new Error(`the command puts the ${of.name} ${key} twice, and the second undoes the first`)
      seen.set(place, alone)
    }
  }

  put(placed: Placed): void {
    this.kind(placed.of).put(placed)
  }

  writes(): ReadonlyArray<WrittenRecords> {
    return [...this.kinds.values()].flatMap(({ of, written }) =>
      written.size === 0 ? [] : [{ of, records: [...written.values()] }]
    )
  }
}
