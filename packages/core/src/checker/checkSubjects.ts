import { Effect, Stream } from "effect"
import type { StorageError } from "../engine/StorageError.ts"
import type { TenantLedger } from "./LedgerSnapshot.ts"
import type { CheckInput, Violation } from "./Invariant.ts"
import { invariants } from "./invariants.ts"
import { judging } from "./judging.ts"
import { type Segment, segments } from "./segments.ts"
import { type Filed, isWithin, type SubjectKind, type SubjectRange, subjectsOf } from "./subjects.ts"

/** What was seen of a range of subjects. */
export interface Seen {
  /** Rows under their own subjects. */
  readonly own: number
  /** Rows as often as they were filed. */
  readonly filed: number
  /** Less what was filed under a subject that the row names, as often as rows name one: nothing where each row was met under all its subjects. */
  readonly missing: number
  /** The sum of the digests of what was filed. */
  readonly digest: bigint
}

/** Nothing was seen. */
export const nothingSeen: Seen = { own: 0, filed: 0, missing: 0, digest: 0n }

/** What was seen of two ranges. */
export const bothSeen = (one: Seen, other: Seen): Seen => ({
  own: one.own + other.own,
  filed: one.filed + other.filed,
  missing: one.missing + other.missing,
  digest: one.digest + other.digest
})

/** A range in which no rule found anything. */
export interface CleanRange extends SubjectRange {
  readonly seen: Seen
}

/** What a pass over subjects keeps for one that goes on where it was broken off. */
export interface CheckPlace {
  /** What digests are made with; whoever changes rows must not know it. */
  readonly seed: number
  /** What was found clean before, in order. */
  readonly clean: ReadonlyArray<CleanRange>
  readonly keep: (range: CleanRange) => Effect.Effect<void>
}

const kinds = Object.keys(subjectsOf) as ReadonlyArray<SubjectKind> // the keys of a closed record

/** Rows of these kinds may be met more than once in a segment: each is one by its own subject. */
const metAgain: ReadonlySet<SubjectKind> = new Set([
  "account",
  "operation",
  "transaction",
  "sweepable",
  "sweep",
  "deposit"
])

/** A row that was met, and its own subject. */
interface Met {
  readonly row: Filed["row"]
  readonly own: string
}

/** What a segment shows, and what is wrong with how it was filed. */
interface Sorted {
  readonly met: ReadonlyMap<SubjectKind, ReadonlyArray<Met>>
  readonly seen: Seen
  readonly strange: Violation
}

const sorted = ({ range, rows }: Segment): Sorted => {
  const met = new Map<SubjectKind, Array<Met>>()
  const known = new Set<string>()
  let [own, missing, digest] = [0, 0, 0n]
  let strange: Violation
  for (const { beside, digest: one, kind, row, subject } of rows) {
    let named: readonly [string, ...Array<string>] = [subject]
    const senseless = judging(() => {
      // a row of a kind goes to what is of that kind
      named = (subjectsOf[kind] as (row: Filed["row"]) => typeof named)(row)
      return undefined
    }, row)
    strange ??= senseless
    if (!isWithin(range, subject) || (!beside && !named.includes(subject)))
      strange ??= `a row of the kind ${kind} was found under ${subject}, where it does not belong`
    digest += one ?? 0n
    if (!beside) missing -= 1
    if (!beside && subject === named[0]) {
      own += 1
      missing += named.length
    }
    if (metAgain.has(kind)) {
      const key = `${kind} ${named[0]}`
      if (known.has(key)) continue
      known.add(key)
    }
    const ofKind = met.get(kind)
    if (ofKind === undefined) met.set(kind, [{ row, own: named[0] }])
    else ofKind.push({ row, own: named[0] })
  }
  return { met, seen: { own, filed: rows.length, missing, digest }, strange }
}

/** What the rules find in a segment, in the order of the rules. */
const judged = (given: CheckInput, range: SubjectRange, { met }: Sorted): ReadonlyArray<Violation> => {
  const owns = (subject: string) => isWithin(range, subject)
  return invariants.map(({ bySubject }) => {
    const run = bySubject?.({ ...given, owns })
    if (run === undefined) return undefined
    for (const kind of kinds) {
      // as in `sorted`
      const [each, every] = [run[kind], run.all?.[kind]] as ReadonlyArray<
        ((row: Filed["row"]) => Violation) | undefined
      >
      if (each === undefined && every === undefined) continue
      for (const { own, row } of met.get(kind) ?? []) {
        const found = judging(() => every?.(row) ?? (owns(own) ? each?.(row) : undefined), row)
        if (found !== undefined) return found
      }
    }
    return judging(() => run.finish?.(), undefined)
  })
}

/** What is left of everything without the ranges that are clean, which are in order and apart. */
const without = (clean: ReadonlyArray<SubjectRange>): ReadonlyArray<SubjectRange> => {
  const ends = ["", ...clean.map(({ to }) => to)]
  return ends.flatMap((from, at) => {
    const to = clean[at]?.from ?? null
    return from === to || from === null ? [] : [{ from, to }]
  })
}

/**
 * The ranges that were clean and hold the same rows still, in order: whatever was changed in them since, or came or went, is looked at again. So is
 * a range in which another one ends, and one that was kept twice is one.
 */
const stillClean = Effect.fnUntraced(function* (ledger: TenantLedger, { clean, seed }: CheckPlace) {
  if (clean.length === 0) return []
  const ends = clean.flatMap(({ from, to }) => (to === null ? [from] : [from, to]))
  const between = [...new Set(["", ...ends])].toSorted((left, right) => (left < right ? -1 : 1))
  const now = yield* ledger.digests(between, seed)
  const kept = Map.groupBy(clean, ({ from }) => from)
  return now.flatMap(({ digest, filed }, at) => {
    const [from = "", to = null] = between.slice(at, at + 2)
    return kept.get(from)?.find((one) => one.to === to && one.seen.filed === filed && one.seen.digest === digest) ?? []
  })
})

/** About as many rows as this many reads give are kept as one range. */
const keptReads = 20

/** What a walk over subjects is told. */
export interface SubjectOptions {
  readonly readRows: number
  readonly place?: CheckPlace | undefined
  readonly progress: (rows: number) => Effect.Effect<void>
}

/** What a walk over subjects found: the first of each rule, and what was strange about how rows are filed. */
export interface SubjectFindings {
  readonly found: ReadonlyArray<Violation>
  readonly strange: Violation
}

/**
 * Holds what belongs together against each other, some subjects at a time, and remembers nothing of those that are done. In the end it counts: each row was met under
 * its own subject, and under every other that it names.
 */
export const checkSubjects = Effect.fnUntraced(function* (
  ledger: TenantLedger,
  given: CheckInput,
  { place, progress, readRows }: SubjectOptions
): Effect.fn.Return<SubjectFindings, StorageError> {
  const found: Array<Violation> = invariants.map(() => undefined)
  const clean = place === undefined ? [] : yield* stillClean(ledger, place)
  let strange: Violation
  let total = clean.reduce((all, { seen }) => bothSeen(all, seen), nothingSeen)
  if (total.filed > 0) yield* progress(total.filed)
  for (const range of without(clean)) {
    let open: CleanRange | undefined
    const keep = Effect.suspend(() => {
      if (open === undefined || place === undefined) return Effect.void
      const kept = open
      open = undefined
      return place.keep(kept)
    })
    const streams = ledger.filed(range, { readRows, seed: place?.seed ?? null })
    yield* Stream.runForEach(
      segments(streams, range),
      Effect.fnUntraced(function* (segment) {
        const here = sorted(segment)
        const wrong = judged(given, segment.range, here)
        wrong.forEach((one, at) => (found[at] ??= one))
        strange ??= here.strange
        total = bothSeen(total, here.seen)
        yield* progress(segment.rows.length)
        const isClean = here.strange === undefined && wrong.every((one) => one === undefined)
        if (!isClean) return yield* keep
        open = {
          from: open?.from ?? segment.range.from,
          to: segment.range.to,
          seen: bothSeen(open?.seen ?? nothingSeen, here.seen)
        }
        if (open.seen.filed >= keptReads * readRows) yield* keep
      })
    )
    yield* keep
  }
  const unreadable = yield* ledger.unreadable
  if (unreadable.length > 0 || strange !== undefined) return { found, strange }
  const rows = Object.values(yield* ledger.counts).reduce((all, one) => all + one, 0)
  if (total.own !== rows) strange = `of ${rows} rows ${total.own} were met under what they belong to`
  else if (total.missing !== 0) strange = `rows name subjects ${total.missing} times under which they were not met`
  return { found, strange }
})
