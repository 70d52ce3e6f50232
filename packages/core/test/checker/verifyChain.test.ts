import { type AuditRecord, firstHash } from "@bursar/core/audit/AuditRecord"
import { hashOf } from "@bursar/core/audit/chained"
import { verifyChain, walkChain } from "@bursar/core/checker/verifyChain"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

/** A chain of so many records, each with the hash over itself and the one before. */
const chain = Effect.fnUntraced(function* (length: number) {
  const records: Array<AuditRecord> = []
  for (let id = 1; id <= length; id += 1) {
    const record: AuditRecord = {
      ...{ id, previousHash: records.at(-1)?.hash ?? firstHash, hash: "", actionId: `a${id}`, at: id },
      ...{ operator: "otto", role: "OPERATOR", method: "POST", route: "/other", params: {}, status: 200 },
      ...{ requestId: "r", address: "", content: null }
    }
    records.push({ ...record, hash: yield* hashOf(record) })
  }
  return records
})

/** The log as it is stored, and from which ids on it was read. */
const log = (records: ReadonlyArray<AuditRecord>, reads: Array<number> = []) =>
  OperatorAudit.of({
    append: () => Effect.die("nothing is written"),
    after: (id, limit) =>
      Effect.sync(() => {
        reads.push(id)
        const page = records.filter((one) => one.id > id).slice(0, limit)
        // as the adapter of a database does where a row is of another form
        if (page.some(({ at }) => at === Infinity)) throw new Error("a moment was expected")
        return page
      }),
    before: () => Effect.die("it is read from the beginning")
  })

const verified = (records: ReadonlyArray<AuditRecord>, anchor?: string) =>
  Effect.provideService(verifyChain(anchor), OperatorAudit, log(records))

describe("the chain of operators' actions", () => {
  it.effect("is right from its first record to its last, where each follows on the one before", () =>
    Effect.gen(function* () {
      const records = yield* chain(3)
      const hashes = records.map(({ hash }) => hash)
      const head = (length: number) => hashes[length - 1] ?? null
      const right = { records: 3, head: head(3), firstWrong: null, anchored: null }
      assert.deepStrictEqual(yield* verified(records), right)
      assert.deepStrictEqual(yield* verified([]), { records: 0, head: null, firstWrong: null, anchored: null })
      for (const { hash } of records)
        assert.deepStrictEqual(yield* verified(records, hash), { ...right, anchored: true })
      assert.deepStrictEqual(yield* verified(records.slice(0, 2), records[2]?.hash), {
        ...{ records: 2, head: head(2), firstWrong: null },
        anchored: false
      })
    })
  )

  it.effect("is wrong from the first record on that was changed, left out or put in", () =>
    Effect.gen(function* () {
      const records = yield* chain(4)
      const at = (index: number, more: Partial<AuditRecord>) =>
        records.map((one, place) => (place === index ? { ...one, ...more } : one))
      const rehashed = { ...(records[1] ?? assert.fail("none")), operator: "mallory" }
      const hash = yield* hashOf(rehashed)
      for (const [wrong, until, why] of [
        [at(1, { operator: "mallory" }), 1, /^Record 2 was changed/u],
        [at(1, { operator: "mallory", hash }), 2, /^Record 3 does not follow/u],
        [at(0, { previousHash: "11".repeat(32) }), 0, /^Record 1 does not follow/u],
        [records.toSpliced(1, 1), 1, /^Record 2 is missing: after it comes 3/u],
        [records.slice(1), 0, /^Record 1 is missing/u],
        [at(3, { hash: "" }), 3, /^Record 4 was changed/u]
      ] as const) {
        const found = yield* verified(wrong)
        assert.deepInclude(found, { records: until, head: until === 0 ? null : (wrong[until - 1]?.hash ?? null) })
        assert.match(found.firstWrong ?? "", why)
      }
    })
  )

  it.effect("is wrong where a record cannot be read, or has no hash, and is read on behind it", () =>
    Effect.gen(function* () {
      const records = yield* chain(5)
      const changed = (more: Partial<AuditRecord>, ...places: ReadonlyArray<number>) =>
        records.map((one) => (places.includes(one.id) ? { ...one, ...more } : one))
      const unhashed: Partial<AuditRecord> = { params: null as never } // what a column of JSON can hold
      for (const more of [{ at: Infinity }, unhashed]) {
        const found = yield* verified(changed(more, 3))
        assert.deepInclude(found, { records: 2, firstWrong: "Record 3 cannot be read: it was changed." })
        const seen: Array<readonly [number, boolean]> = []
        const see = ({ id }: Pick<AuditRecord, "id">, mistake: string | null) => {
          seen.push([id, mistake === null])
          return undefined
        }
        yield* Effect.provideService(walkChain(undefined, see), OperatorAudit, log(changed(more, 3)))
        assert.deepStrictEqual(seen.slice(0, 3), [
          [1, true],
          [2, true],
          [3, false]
        ])
        assert.deepStrictEqual(seen.at(-1), [5, true])
      }
      // where nothing can be read, nobody can tell how long it is
      for (const all of [changed({ at: Infinity }, 1, 2, 3, 4, 5), changed({ at: Infinity, id: 2 ** 40 }, 5)])
        assert.match((yield* verified(all)).firstWrong ?? "", /^Record [15] cannot be read/u)
      const log5 = log(changed({ at: Infinity, id: 2 ** 40 }, 5))
      yield* Effect.provideService(
        walkChain(undefined, () => undefined),
        OperatorAudit,
        log5
      )
    })
  )

  it.effect("is read to its end, page by page, or to where somebody has seen enough", () =>
    Effect.gen(function* () {
      const records = yield* chain(1_001)
      assert.strictEqual((yield* verified(records)).records, 1_001)
      const walked = Effect.fnUntraced(function* (from: AuditRecord | undefined, stopAt: number) {
        const [seen, reads]: [Array<number>, Array<number>] = [[], []]
        const see = ({ id }: Pick<AuditRecord, "id">, mistake: string | null) => {
          assert.isNull(mistake)
          seen.push(id)
          return id === stopAt ? ("stop" as const) : undefined
        }
        yield* Effect.provideService(walkChain(from, see), OperatorAudit, log(records, reads))
        return [seen.length, seen.at(-1), reads]
      })
      assert.deepStrictEqual(yield* walked(undefined, 0), [1_001, 1_001, [0, 1_000]])
      assert.deepStrictEqual(yield* walked(records[1], 0), [999, 1_001, [2]])
      assert.deepStrictEqual(yield* walked(undefined, 5), [5, 5, [0]])
    })
  )
})
