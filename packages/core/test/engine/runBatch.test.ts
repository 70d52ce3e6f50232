import type { Change } from "@bursar/core/engine/Change"
import type { Command } from "@bursar/core/engine/Command"
import { collectReads } from "@bursar/core/engine/Read"
import {
  defineFact,
  defineNewest,
  defineRecord,
  putRecord,
  readFact,
  readGroup,
  readNewest,
  readRecord,
  recordsIn
} from "@bursar/core/engine/Records"
import { runBatch } from "@bursar/core/engine/runBatch"
import type { View } from "@bursar/core/engine/View"
import { firstHead } from "@bursar/core/engine/WriteSet"
import { adjust, all, emitting } from "@bursar/testkit/fixtures/commands"
import { newIdAt } from "@bursar/testkit/fixtures/records"
import { past, tenantRecord } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { loadedWith } from "./loaded.ts"

interface Ticket {
  readonly code: string
  readonly row: string | null
  readonly seat: number
}

const Ticket = defineRecord<Ticket>({ name: "Ticket", key: ({ code }) => code, group: ({ row }) => row })
const LastTicket = defineNewest<Ticket>({
  name: "LastTicket",
  of: Ticket,
  group: ({ row }) => row ?? "",
  order: ({ seat }) => seat
})
const Stub = defineRecord<Ticket>({ name: "Stub", key: ({ code }) => code, traits: { insertOnly: true } })
const Pass = defineRecord<Ticket>({
  name: "Pass",
  key: ({ code }) => code,
  traits: { insertOnly: true, expiresAt: ({ seat }) => past + seat }
})
const Purse = defineRecord<Ticket>({ name: "Purse", key: ({ code }) => code, traits: { oncePerCommand: true } })
const Till = defineRecord<Ticket>({
  name: "Till",
  key: ({ code }) => code,
  traits: { sum: ({ seat }) => String(seat) }
})
const Doors = defineFact<boolean>({ name: "doorsOpen", none: false })

const ticket = (code: string, row: string | null, seat = 1): Ticket => ({ code, row, seat })

const deciding = (
  reads: Command<unknown>["reads"],
  decide: (view: View) => { readonly changes?: ReadonlyArray<Change>; readonly reply?: unknown }
): Command<unknown> => ({
  name: "Deciding",
  reads,
  decide: (view) => {
    const { changes = [], reply = null } = decide(view)
    return Result.succeed({ changes, reply })
  }
})

const putting = (...changes: ReadonlyArray<Change>) => deciding([], () => ({ changes }))

/** Runs commands over what is there of tickets and stubs. */
const run = (
  commands: ReadonlyArray<Command<unknown>>,
  { passes = [], stubs = [], tickets = [] }: Partial<Rows> = {}
) => {
  const byCode = (rows: ReadonlyArray<Ticket>) => new Map(rows.map((one) => [one.code, one]))
  const loaded = loadedWith(firstHead(tenantRecord(past)), {
    records: new Map([
      [Ticket.name, byCode(tickets)],
      [Stub.name, byCode(stubs)],
      [Pass.name, byCode(passes)]
    ])
  })
  const reads = collectReads(commands.map((command) => command.reads))
  const { replies, writes } = runBatch(commands, reads, loaded, { now: past, newId: () => newIdAt(past) })
  return { writes, ends: replies.map((exit) => (exit._tag === "Success" ? exit.value : exit._tag)) }
}

interface Rows {
  readonly tickets: ReadonlyArray<Ticket>
  readonly stubs: ReadonlyArray<Ticket>
  readonly passes: ReadonlyArray<Ticket>
}

const codes = (all: ReadonlyArray<Ticket>) => all.map(({ code }) => code)

describe("runBatch", () => {
  it("leaves nothing out of what a command decided: a change of a kind that it does not know ends the command", () => {
    const known = putRecord(Ticket, ticket("a", "A"))
    const strange = { _tag: "Booked" } as never // a kind of another version, or of none
    const { ends, writes } = run([
      putting(known, strange),
      putting(strange),
      putting(putRecord(Ticket, ticket("b", "A")))
    ])
    assert.deepStrictEqual(ends, ["Failure", "Failure", null])
    assert.deepStrictEqual(
      writes.records.flatMap(({ records }) => records),
      [ticket("b", "A")]
    )
  })

  it.each<readonly [string, (view: View) => unknown]>([
    ["a record", (view) => view.get(Ticket, "a")],
    ["a group", (view) => view.group(Ticket, "A")],
    ["the newest of a group", (view) => view.newest(LastTicket, "A")],
    ["a fact", (view) => view.fact(Doors, "main")],
    ["a balance", (view) => view.balance("float:available", "EUR")],
    ["the owner of an address", (view) => view.addressOwner("tron", "T")],
    ["the owner of a key", (view) => view.keyOwner("keccak:00")]
  ])("ends a command that looks at %s without having declared it, and no other", (_, ask) => {
    const { ends, writes } = run([
      deciding(
        [readRecord(Ticket, "b"), readGroup(Ticket, "B"), readNewest(LastTicket, "B"), readFact(Doors, "side")],
        (view) => ({
          reply: ask(view)
        })
      ),
      putting(putRecord(Ticket, ticket("c", null)))
    ])
    assert.deepStrictEqual(ends, ["Failure", null])
    assert.deepStrictEqual(codes(recordsIn(writes.records, Ticket)), ["c"])
  })

  it("lets a record change its group: later commands find it where it has gone, and written once", () => {
    const rows = [readGroup(Ticket, "A"), readGroup(Ticket, "B")]
    const look = deciding(rows, (view) => ({
      reply: [codes(view.group(Ticket, "A")), codes(view.group(Ticket, "B"))]
    }))
    const { ends, writes } = run(
      [
        look,
        putting(putRecord(Ticket, ticket("a", "B")), putRecord(Ticket, ticket("d", "A"))),
        look,
        putting(putRecord(Ticket, ticket("a", null)), putRecord(Ticket, ticket("d", "B"))),
        look,
        putting(putRecord(Ticket, ticket("a", "A", 7))),
        look
      ],
      { tickets: [ticket("b", "B"), ticket("a", "A")] }
    )
    assert.deepStrictEqual(ends, [
      [["a"], ["b"]],
      null,
      [["d"], ["a", "b"]],
      null,
      [[], ["b", "d"]],
      null,
      [["a"], ["b", "d"]]
    ])
    assert.deepStrictEqual(recordsIn(writes.records, Ticket), [ticket("a", "A", 7), ticket("d", "B")])
  })

  it.each<readonly [string, ReadonlyArray<Command<unknown>>, Partial<Rows>, ReadonlyArray<unknown>]>([
    [
      "another command of the batch has put",
      [putting(putRecord(Stub, ticket("a", null, 1))), putting(putRecord(Stub, ticket("a", null, 2)))],
      {},
      [null, "Failure"]
    ],
    [
      "the same command puts",
      [putting(putRecord(Stub, ticket("a", null, 1)), putRecord(Stub, ticket("a", null, 2)))],
      {},
      ["Failure"]
    ],
    [
      "was there",
      [deciding([readRecord(Stub, "a")], () => ({ changes: [putRecord(Stub, ticket("a", null, 2))] }))],
      { stubs: [ticket("a", null, 1)] },
      ["Failure"]
    ]
  ])(
    "ends a command that puts a record that is put once where %s one of its key, and keeps the first",
    (_, commands, rows, ends) => {
      const done = run([...commands, putting(putRecord(Ticket, ticket("c", null)))], rows)
      assert.deepStrictEqual(done.ends, [...ends, null])
      assert.deepStrictEqual(recordsIn(done.writes.records, Stub), ends[0] === null ? [ticket("a", null, 1)] : [])
      assert.deepStrictEqual(codes(recordsIn(done.writes.records, Ticket)), ["c"])
    }
  )

  const throwing = (): string => {
    throw new Error("it cannot tell")
  }
  it.each([
    ["its key", defineRecord<Ticket>({ name: "Keyless", key: throwing })],
    ["the text of its key", defineRecord<Ticket>({ name: "Textless", key: ({ code }) => code, text: throwing })],
    ["its group", defineRecord<Ticket>({ name: "Groupless", key: ({ code }) => code, group: throwing })]
  ])("writes nothing of a command that puts a record whose kind cannot tell %s", (_, kind) => {
    const broken = all<unknown>(adjust(7n), emitting(), putting(putRecord(kind, ticket("b", null))))
    const { ends, writes } = run([broken, putting(putRecord(Ticket, ticket("c", null)))])
    assert.deepStrictEqual(ends, ["Failure", null])
    const { balances, events, head, legs, records } = writes
    assert.deepStrictEqual([legs, balances, events, head.postingSeq, head.eventId], [[], [], [], 0, 0])
    assert.deepStrictEqual(records, [{ of: Ticket, records: [ticket("c", null)] }])
  })

  it("ends a command that puts a sum twice, and lets the next of its batch put it again", () => {
    const add = deciding([readRecord(Purse, "a")], (view) => ({
      changes: [putRecord(Purse, ticket("a", null, (view.get(Purse, "a")?.seat ?? 0) + 1))]
    }))
    const twice = deciding(add.reads, (view) => {
      const parts = [add.decide(view), add.decide(view)]
      return { changes: parts.flatMap((part) => (Result.isSuccess(part) ? part.success.changes : [])) }
    })
    const { ends, writes } = run([add, twice, add])
    assert.deepStrictEqual(ends, [null, "Failure", null])
    assert.deepStrictEqual(recordsIn(writes.records, Purse), [ticket("a", null, 2)])
  })

  it("ends a command that changes a sum of a record and puts the record twice, and lets one that leaves the sum put it twice", () => {
    const put = (row: string, seat: number) => putRecord(Till, ticket("a", row, seat))
    for (const [first, second, end] of [
      [put("A", 2), put("B", 2), "Failure"],
      [put("A", 2), put("B", 1), "Failure"],
      [put("A", 1), put("B", 2), "Failure"],
      [put("A", 1), put("B", 1), null]
    ] as const) {
      const { ends, writes } = run([putting(put("A", 1)), putting(first, second), putting(put("C", 3))])
      assert.deepStrictEqual(ends, [null, end, null])
      assert.deepStrictEqual(recordsIn(writes.records, Till), [ticket("a", "C", 3)])
    }
  })

  it("lets what is put once be put again where the one of its key has expired", () => {
    const again = deciding([readRecord(Pass, "a")], () => ({ changes: [putRecord(Pass, ticket("a", null, 5))] }))
    for (const [seat, end] of [
      [-1, null],
      [0, "Failure"]
    ] as const)
      assert.deepStrictEqual(run([again], { passes: [ticket("a", null, seat)] }).ends, [end])
  })
})

describe("a text that no store can hold", () => {
  it("fails its command, wherever it stands, and not the others", () => {
    for (const text of ["a\u0000b", "half \ud83d"]) {
      const { ends, writes } = run([
        putting(putRecord(Ticket, ticket("before", null))),
        putting(putRecord(Ticket, ticket("beside", null)), putRecord(Ticket, ticket(text, null))),
        putting({ _tag: "Scheduled", queue: "q", key: text, dueAt: past }),
        putting(putRecord(Ticket, ticket("whole \ud83d\ude00", null)))
      ])
      assert.deepStrictEqual(ends, [null, "Failure", "Failure", null])
      assert.deepStrictEqual(
        recordsIn(writes.records, Ticket).map(({ code }) => code),
        ["before", "whole \ud83d\ude00"]
      )
      assert.deepStrictEqual(writes.jobs, [])
    }
  })
})
