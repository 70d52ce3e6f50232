import type { Command } from "@bursar/core/engine/Command"
import { ofKnownKinds } from "@bursar/core/engine/knownKinds"
import { collectReads, type Read } from "@bursar/core/engine/Read"
import {
  type AnyRecord,
  defineFact,
  defineNewest,
  defineRecord,
  putRecord,
  readFact,
  readGroup,
  readNewest,
  readRecord
} from "@bursar/core/engine/Records"
import { runBatch } from "@bursar/core/engine/runBatch"
import { firstHead } from "@bursar/core/engine/WriteSet"
import { contextAt, looking, refused, writing } from "@bursar/testkit/fixtures/commands"
import { past, tenantRecord } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Exit } from "effect"
import { loadedWith } from "./loaded.ts"

interface Card {
  readonly id: string
}
const define = () => defineRecord<Card>({ name: "Card", key: ({ id }) => id })
const newestOf = (of: ReturnType<typeof define>) =>
  defineNewest<Card>({ name: "LastCard", of, group: () => "all", order: () => 1 })
const season = () => defineFact<string>({ name: "season", none: "spring" })

const [Card, Namesake] = [define(), define()]
const [LastCard, LastNamesake] = [newestOf(Card), newestOf(Namesake)]
const [Season, OtherSeason] = [season(), season()]
const known = { isRecord: (of: AnyRecord) => of === Card, others: new Set([LastCard, Season]) }

const run = (...given: ReadonlyArray<Command<unknown>>) => {
  const commands = ofKnownKinds(given, known)
  const reads = collectReads(commands.map((command) => command.reads))
  return { reads, ...runBatch(commands, reads, loadedWith(firstHead(tenantRecord(past))), contextAt(past)) }
}

const seeing = (read: Read) => looking([read], () => "seen")
const putting = (of: typeof Card) => writing(() => [putRecord(of, { id: "1" })])

describe("what a store does not know", () => {
  it("is not looked for, and fails the command alone that reads or puts it", () => {
    const { reads, replies, writes } = run(
      seeing(readRecord(Namesake, "1")),
      seeing(readGroup(Namesake, "all")),
      seeing(readNewest(LastNamesake, "all")),
      seeing(readFact(OtherSeason, "now")),
      putting(Namesake),
      putting(Card),
      refused
    )
    assert.deepStrictEqual(reads, collectReads([]))
    assert.deepStrictEqual(replies.map(Exit.hasDies), [true, true, true, true, true, false, false])
    assert.deepStrictEqual(replies.map(Exit.isSuccess), [false, false, false, false, false, true, false])
    assert.deepStrictEqual(writes.records, [{ of: Card, records: [{ id: "1" }] }])
  })

  it("or cannot name, as its kind throws on a key, fails alone the command that reads it", () => {
    const Numbered = defineRecord<Card, number>({
      name: "Numbered",
      key: ({ id }) => Number(id),
      text: (key) => {
        if (!Number.isSafeInteger(key)) throw new Error("no key")
        return String(key)
      }
    })
    const all = [readRecord(Numbered, 1), readRecord(Numbered, 0.5)]
    const commands = ofKnownKinds([looking(all, () => "seen"), putting(Card)], {
      ...known,
      isRecord: (of) => of === Card || of === Numbered
    })
    const reads = collectReads(commands.map((command) => command.reads))
    const loaded = loadedWith(firstHead(tenantRecord(past)))
    const { replies, writes } = runBatch(commands, reads, loaded, contextAt(past))
    assert.deepStrictEqual(replies.map(Exit.hasDies), [true, false])
    assert.deepStrictEqual(writes.records, [{ of: Card, records: [{ id: "1" }] }])
  })

  it("is nothing of what it knows", () => {
    const all = [readRecord(Card, "1"), readGroup(Card, "all"), readNewest(LastCard, "all"), readFact(Season, "now")]
    const { reads, replies } = run(...all.map(seeing))
    assert.deepStrictEqual(reads, collectReads([all]))
    assert.isTrue(replies.every(Exit.isSuccess))
  })
})
