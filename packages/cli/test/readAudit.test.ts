import type { AuditEntry } from "@bursar/api/operator/OperatorAudit"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type AuditQuery, endedOf, readAudit } from "../src/commands/readAudit.ts"

const entry = (id: number): AuditEntry => ({
  ...{ id, action_id: "a", at: "2027-01-01T00:00:00.000Z", operator: "ada", role: "admin", method: "POST", route: "/" },
  ...{
    params: {},
    status: 200,
    request_id: "r",
    address: "",
    digest: null,
    values: null,
    problem: null,
    previous_hash: "",
    hash: ""
  }
})

/** What is read of a log with so many records, and how many were asked for each time. */
const readOf = (count: number, query: AuditQuery) => {
  const asked: Array<number> = []
  const list = ({ before = count + 1, limit }: AuditQuery) => {
    asked.push(limit)
    const entries = Array.from({ length: Math.min(limit, before - 1) }, (_, index) => entry(before - 1 - index))
    return Effect.succeed({ entries })
  }
  return Effect.map(readAudit(list, query), ({ entries, isMore }) => ({
    ids: [entries[0]?.id, entries.at(-1)?.id, entries.length],
    isMore,
    asked
  }))
}

describe("the log of what operators did", () => {
  it.effect("is read to its beginning where all of it is wanted, however much was done since", () =>
    Effect.gen(function* () {
      const all = yield* readOf(450, { limit: Infinity })
      assert.deepStrictEqual(all, { ids: [450, 1, 450], isMore: false, asked: [200, 200, 200] })
    })
  )

  it.effect("is read as far as is asked for, and it is known whether there is more", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* readOf(450, { limit: 250 }), {
        ids: [450, 201, 250],
        isMore: true,
        asked: [200, 50, 1]
      })
      assert.deepInclude(yield* readOf(50, { limit: 50 }), { ids: [50, 1, 50], isMore: false })
      assert.deepInclude(yield* readOf(50, { limit: 50, before: 21 }), { ids: [20, 1, 20], isMore: false })
      assert.deepInclude(yield* readOf(0, { limit: 50 }), { isMore: false, asked: [50] })
    })
  )
})

describe("whether an action has ended", () => {
  const [begun, ended] = [(id: number, action_id: string) => ({ ...entry(id), action_id, status: null }), entry]
  // four began before the first of them ended
  const log = [
    { ...ended(8), action_id: "c" },
    { ...ended(7), action_id: "b" },
    { ...ended(6), action_id: "a" },
    ...[begun(5, "d"), begun(4, "c"), begun(3, "b"), begun(2, "a")],
    ended(1)
  ]
  const list = ({ before = 9, limit }: AuditQuery) =>
    Effect.succeed({ entries: log.filter(({ id }) => id < before).slice(0, limit) })
  const onPage = (query: AuditQuery) =>
    Effect.flatMap(readAudit(list, query), ({ entries }) => endedOf(list, query, entries))

  it.effect("is known of one whose record after it stands on the page before", () =>
    Effect.gen(function* () {
      for (const before of [3, 4, 5, 6, 7, 8])
        assert.includeMembers([...(yield* onPage({ before, limit: 3 }))], before < 8 ? ["a"] : ["b", "a"])
      assert.notInclude([...(yield* onPage({ before: 6, limit: 3 }))], "d")
    })
  )

  it.effect("is known of the newest without more", () =>
    Effect.gen(function* () {
      assert.sameMembers([...(yield* onPage({ limit: Infinity }))], ["a", "b", "c"])
    })
  )
})
