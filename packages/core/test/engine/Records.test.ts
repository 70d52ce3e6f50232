import { collectReads } from "@bursar/core/engine/Read"
import { RecordOverlay } from "@bursar/core/engine/RecordOverlay"
import {
  defineFact,
  defineNewest,
  defineRecord,
  isPut,
  putRecord,
  readFact,
  readGroup,
  readNewest,
  readRecord,
  type RecordPut
} from "@bursar/core/engine/Records"
import { facts, newest, records } from "@bursar/core/records"
import { assert, describe, it } from "@effect/vitest"

interface Leaf {
  readonly tree: string
  readonly number: number
  readonly green: boolean
}

const Leaf = defineRecord<Leaf, { readonly tree: string; readonly number: number }>({
  name: "Leaf",
  key: ({ number, tree }) => ({ tree, number }),
  text: ({ number, tree }) => `${tree}|${number}`,
  group: ({ green, tree }) => (green ? tree : null)
})

const NewestLeaf = defineNewest<Leaf>({
  name: "NewestLeaf",
  of: Leaf,
  group: ({ tree }) => tree,
  order: ({ number }) => number
})

const season = defineFact<string>({ name: "season", none: "spring" })

const leaf = (number: number, green = true): Leaf => ({ tree: "oak", number, green })

const overlay = (named: ReadonlySet<string> = new Set()) =>
  new RecordOverlay(
    collectReads([
      [readRecord(Leaf, leaf(7)), readGroup(Leaf, "oak"), readNewest(NewestLeaf, "oak"), readFact(season, "now")]
    ]),
    {
      records: new Map([["Leaf", new Map([leaf(1), leaf(2)].map((one) => [Leaf.text(one), one]))]]),
      newest: new Map([["NewestLeaf", new Map([["oak", leaf(2)]])]]),
      facts: new Map()
    },
    named
  )

const put = (batch: RecordOverlay, change: RecordPut) => {
  for (const placed of batch.place([change], 0)) batch.put(placed)
}

describe("records", () => {
  it("are listed under the names of their definitions", () => {
    for (const listed of [records, newest, facts])
      assert.deepStrictEqual(
        Object.values(listed).map(({ name }) => name),
        Object.keys(listed)
      )
  })

  it("are known as put by their kind alone", () => {
    assert.isTrue(isPut(Leaf, putRecord(Leaf, leaf(1))))
    assert.isFalse(isPut(records.Payout, putRecord(Leaf, leaf(1))))
    assert.isFalse(isPut(Leaf, { _tag: "TenantPut" }))
  })

  it("are in the group that they are in now, with what the batch has put", () => {
    const batch = overlay()
    assert.deepStrictEqual(batch.group(Leaf, "oak"), [leaf(1), leaf(2)])
    put(batch, putRecord(Leaf, leaf(2, false)))
    put(batch, putRecord(Leaf, leaf(3)))
    assert.deepStrictEqual(batch.group(Leaf, "oak"), [leaf(1), leaf(3)])
    put(batch, putRecord(Leaf, leaf(2)))
    assert.deepStrictEqual(batch.group(Leaf, "oak"), [leaf(1), leaf(2), leaf(3)])
    assert.deepStrictEqual(batch.writes(), [{ of: Leaf, records: [leaf(2), leaf(3)] }])
  })

  it("of a group are looked up once for all that a command asks of it", () => {
    const batch = overlay()
    assert.strictEqual(batch.group(Leaf, "oak"), batch.group(Leaf, "oak"))
    const before = batch.group(Leaf, "oak")
    put(batch, putRecord(Leaf, leaf(3)))
    assert.lengthOf(before, 2, "what was given stays as it was")
    assert.lengthOf(batch.group(Leaf, "oak"), 3)
  })

  it("are the newest of their group where the batch has put a newer one", () => {
    const batch = overlay()
    put(batch, putRecord(Leaf, leaf(1, false)))
    assert.deepStrictEqual(batch.newest(NewestLeaf, "oak"), leaf(2))
    put(batch, putRecord(Leaf, leaf(2, false)))
    assert.deepStrictEqual(batch.newest(NewestLeaf, "oak"), leaf(2, false))
    put(batch, putRecord(Leaf, leaf(9)))
    assert.deepStrictEqual(batch.newest(NewestLeaf, "oak"), leaf(9))
  })

  it("cannot be seen where they were neither declared nor loaded nor put nor named by the directory", () => {
    const batch = overlay(new Set(["oak|5"]))
    const key = (number: number) => ({ tree: "oak", number })
    assert.throws(() => batch.get(Leaf, key(4)), /did not declare/u)
    assert.throws(() => batch.group(Leaf, "elm"), /did not declare/u)
    assert.throws(() => batch.newest(NewestLeaf, "elm"), /did not declare/u)
    assert.throws(() => batch.fact(season, "then"), /did not declare/u)
    assert.isUndefined(batch.get(Leaf, key(5)))
    assert.isUndefined(batch.get(Leaf, key(7)))
    assert.deepStrictEqual(batch.get(Leaf, key(1)), leaf(1))
    put(batch, putRecord(Leaf, leaf(4)))
    assert.deepStrictEqual(batch.get(Leaf, key(4)), leaf(4))
    assert.strictEqual(batch.fact(season, "now"), "spring")
  })
})
