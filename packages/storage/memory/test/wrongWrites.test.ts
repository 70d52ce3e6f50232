import { collectReads, type ReadSet } from "@bursar/core/engine/Read"
import { runBatch } from "@bursar/core/engine/runBatch"
import { Storage } from "@bursar/core/engine/Storage"
import { type StorageError, TenantUnknown } from "@bursar/core/engine/StorageError"
import type { WriteSet } from "@bursar/core/engine/WriteSet"
import { emptyState, layerOver, type State } from "@bursar/memory"
import { failuresOf } from "@bursar/testkit/suites/failuresOf"
import { withWriters } from "@bursar/testkit/suites/harness"
import { batchTests } from "@bursar/testkit/suites/storage/batchTests"
import { idempotencyTests } from "@bursar/testkit/suites/storage/idempotencyTests"
import { jobTests } from "@bursar/testkit/suites/storage/jobTests"
import { ownershipTests } from "@bursar/testkit/suites/storage/ownershipTests"
import { signatureTests } from "@bursar/testkit/suites/storage/signatureTests"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { load } from "../src/load.ts"
import { recordsOf, type TenantRecords } from "../src/Store.ts"
import { violation, write } from "../src/write.ts"

type Loaded = ReturnType<typeof load>

interface Wrong {
  /** What is written of what a batch decided. */
  readonly writes?: (writes: WriteSet) => WriteSet
  /** When two texts are one key. */
  readonly folds?: (text: string) => string
  /** Whether records that are unique among all tenants are looked for before the write, and not with it. */
  readonly looksBefore?: true
}

const withoutUnique = (writes: WriteSet): WriteSet => ({
  ...writes,
  records: writes.records.map(({ of, records }) => {
    const { unique: _, ...traits } = of.traits
    return { of: { ...of, traits }, records }
  })
})

/** What is loaded, with the record of a key that is folded alike where there is none of the key itself. */
const folding = (tenant: TenantRecords, reads: ReadSet, loaded: Loaded, folds: (text: string) => string): Loaded => {
  const found = [...reads.records].map(([name, { keys, of }]) => {
    const all = [...recordsOf(tenant, of)]
    const alike = [...keys.keys()].flatMap((asked) =>
      all.filter(([key]) => folds(key) === folds(asked)).map(([, record]) => [asked, record] as const)
    )
    return [name, new Map([...alike, ...(loaded.records.get(name) ?? [])])] as const
  })
  return { ...loaded, records: new Map([...loaded.records, ...found]) }
}

const storing = (state: State, { folds, looksBefore, writes: change = (writes) => writes }: Wrong) =>
  Layer.succeed(
    Storage,
    Storage.of({
      commit: Effect.fnUntraced(function* (tenantId, commands, context) {
        const tenant = state.tenants.get(tenantId)
        if (tenant === undefined) return yield* new TenantUnknown({ tenantId })
        const reads = collectReads(commands.map((command) => command.reads))
        const loaded = load(state, tenant, reads)
        const seen = folds === undefined ? loaded : folding(tenant, reads, loaded, folds)
        const { replies, writes } = runBatch(commands, reads, seen, context)
        const fail = (why: StorageError | undefined) => (why === undefined ? Effect.void : Effect.fail(why))
        yield* fail(violation(state, tenant, writes, commands.length))
        if (looksBefore === true && writes.records.some(({ of }) => of.traits.unique === true)) {
          yield* Effect.yieldNow
          yield* fail(violation(state, tenant, withoutUnique(writes), commands.length))
        }
        write(state, tenant, change(writes))
        return replies
      })
    })
  ).pipe(Layer.provideMerge(layerOver(state)))

const lost = "of hundreds of records, jobs, events, postings and addresses of one commit none is lost"
const alike = [
  "keys that differ in case, a blank or the writing of a letter alone have an effect each",
  "nonces and keys of signatures that differ in case, a blank or the writing of a letter alone are others",
  "records and jobs whose keys differ in case, a blank or the writing of a letter alone are others"
]

const wrongs: Readonly<Record<string, readonly [tests: ReadonlyArray<string>, wrong: Wrong]>> = {
  "has nothing wrong passes, and one": [[], {}],
  "keeps the last 20 jobs of a commit": [[lost], { writes: (writes) => ({ ...writes, jobs: writes.jobs.slice(-20) }) }],
  "keeps the last 1000 records of a kind of a commit": [
    [lost],
    {
      writes: (writes) => ({
        ...writes,
        records: writes.records.map(({ of, records }) => ({ of, records: records.slice(-1_000) }))
      })
    }
  ],
  "keeps the last 1000 addresses of a commit": [
    [lost],
    { writes: (writes) => ({ ...writes, claimed: writes.claimed.slice(-1_000) }) }
  ],
  "keeps the last 1000 keys of a commit": [
    [lost],
    { writes: (writes) => ({ ...writes, keyClaims: writes.keyClaims.slice(-1_000) }) }
  ],
  "looks for what is unique among tenants before it writes": [
    ["of two tenants that book one order of a provider at once from two processes, one alone does"],
    { looksBefore: true }
  ],
  "takes keys in any case for one": [alike, { folds: (text) => text.toLowerCase() }],
  "takes no blank at the end of keys": [alike, { folds: (text) => text.trimEnd() }],
  "takes letters for one however they are written": [alike, { folds: (text) => text.normalize("NFC") }]
}

const failures = (wrong: Wrong) =>
  Effect.suspend(() => {
    const state = emptyState()
    return failuresOf(withWriters(storing(state, wrong), storing(state, wrong)), (suite) => {
      for (const group of [batchTests, ownershipTests, idempotencyTests, signatureTests, jobTests]) group(suite, 60_000)
    })
  })

it.live.each(Object.entries(wrongs))("a storage that %s is refused", ([, [tests, wrong]]) =>
  Effect.gen(function* () {
    assert.sameMembers([...(yield* failures(wrong))], [...tests])
  })
)

it.live("a storage that has nothing of this wrong passes", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* failures({}), [])
  })
)
