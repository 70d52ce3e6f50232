import type { Change } from "@bursar/core/engine/Change"
import { countChanges } from "@bursar/core/engine/countChanges"
import { bareAddress, bareDeposit, newIdAt } from "@bursar/testkit/fixtures/records"
import { past, tenantRecord } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { putRecord } from "@bursar/core/engine/Records"
import { Deposit } from "@bursar/core/deposit/Deposit"

const view = { tenant: tenantRecord(past), now: past, newId: () => newIdAt(past), nextChangeSeq: () => 0 }

const event = (id: number): Change => ({
  _tag: "EventEmitted",
  event: { id, kind: "deposit.detected", resourceId: newIdAt(past), occurredAt: past, data: {} }
})

const deposit = (changeSeq: number): Change => putRecord(Deposit, bareDeposit(view, bareAddress(view), { changeSeq }))

describe("countChanges", () => {
  it.each<readonly [string, ReadonlyArray<Change>, number, number]>([
    ["nothing", [], 7, 3],
    ["events", [event(4), event(5)], 7, 5],
    ["moves of deposits", [deposit(8), deposit(9)], 9, 3],
    ["a deposit that is put twice", [deposit(8), deposit(8)], 8, 3],
    ["a deposit that did not move", [deposit(2)], 7, 3],
    ["both", [deposit(8), event(4), deposit(9), event(5)], 9, 5]
  ])("counts %s", (_, changes, changeSeq, eventId) => {
    assert.deepStrictEqual(countChanges(changes, { changeSeq: 7, eventId: 3 }), { changeSeq, eventId })
  })

  it.each<readonly [string, ReadonlyArray<Change>]>([
    ["an event id", [event(5)]],
    ["an event id between two", [event(4), event(6)]],
    ["a change number", [deposit(9)]],
    ["a change number between two", [deposit(8), deposit(10)]]
  ])("throws where %s was skipped", (_, changes) => {
    assert.throws(() => countChanges(changes, { changeSeq: 7, eventId: 3 }), /is next/u)
  })

  it.each([[event(3)], [event(4), event(4)]])("throws where an event id is used again", (...changes) => {
    assert.throws(() => countChanges(changes, { changeSeq: 7, eventId: 3 }), /is next/u)
  })
})
