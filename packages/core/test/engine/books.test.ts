import type { Change } from "@bursar/core/engine/Change"
import type { Command } from "@bursar/core/engine/Command"
import { emit } from "@bursar/core/engine/emit"
import { schedule, unschedule } from "@bursar/core/engine/Job"
import { collectReads, type Read } from "@bursar/core/engine/Read"
import { runBatch } from "@bursar/core/engine/runBatch"
import type { View } from "@bursar/core/engine/View"
import type { Head } from "@bursar/core/engine/WriteSet"
import { Refusal } from "@bursar/core/base/Refusal"
import { type Account, type BalanceRead, balanceKey } from "@bursar/core/ledger/Account"
import { placeReads } from "@bursar/core/ledger/coverShortfall"
import type { Leg } from "@bursar/core/ledger/Leg"
import { newIdAt } from "@bursar/testkit/fixtures/records"
import { past, tenantRecord } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Exit, Result } from "effect"
import { loadedWith } from "./loaded.ts"

const tenant = tenantRecord(past)
const head: Head = { tenant, changeSeq: 4, eventId: 9, postingSeq: 20, lastAt: past }
const funds: Account = "float:available"
const held: Account = "float:held"

const readBalance = (account: Account, currency: string): BalanceRead => ({ _tag: "Balance", account, currency })

const deciding = (
  decide: (view: View) => { readonly changes?: ReadonlyArray<Change>; readonly reply?: unknown },
  reads: ReadonlyArray<Read> = [readBalance(funds, "EUR"), readBalance(held, "EUR")]
): Command<unknown> => ({
  name: "Deciding",
  reads,
  decide: (view) => {
    const { changes = [], reply = null } = decide(view)
    return Result.succeed({ changes, reply })
  }
})

/** A posting that holds so much of what is there. */
const holding = (units: bigint, more: Partial<Extract<Change, { _tag: "Posted" }>> = {}): Change => {
  const leg = (account: Account, direction: Leg["direction"]): Leg => ({
    account,
    direction,
    currency: "EUR",
    units,
    what: "hold"
  })
  return { _tag: "Posted", operationId: "op", legs: [leg(funds, "DEBIT"), leg(held, "CREDIT")], ...more }
}

const putting = (...changes: ReadonlyArray<Change>) => deciding(() => ({ changes }))

/** Runs commands where so much is there, in three legs. */
const run = (commands: ReadonlyArray<Command<unknown>>, { from = head, now = past + 5, units = 100n } = {}) => {
  const loaded = loadedWith(from, {
    balances: new Map([[balanceKey(funds, "EUR"), { account: funds, currency: "EUR", units, version: 3 }]])
  })
  const reads = collectReads(commands.map((command) => command.reads))
  return runBatch(commands, reads, loaded, { now, newId: () => newIdAt(past) })
}

describe("a batch", () => {
  it("numbers postings on, and gives each leg what stands on its account after it", () => {
    const { replies, writes } = run([putting(holding(30n), holding(20n)), putting(holding(50n))])
    assert.deepStrictEqual(replies, [Exit.succeed(null), Exit.succeed(null)])
    assert.deepStrictEqual(
      writes.legs.map(({ account, balance, ordinal, postedAt, postingSeq, version }) => [
        `${postingSeq}.${ordinal}`,
        account,
        balance,
        version,
        postedAt
      ]),
      [
        ["21.0", funds, 70n, 4, past + 5],
        ["21.1", held, 30n, 1, past + 5],
        ["22.0", funds, 50n, 5, past + 5],
        ["22.1", held, 50n, 2, past + 5],
        ["23.0", funds, 0n, 6, past + 5],
        ["23.1", held, 100n, 3, past + 5]
      ]
    )
    assert.deepStrictEqual(writes.balances, [
      { account: funds, currency: "EUR", units: 0n, version: 6 },
      { account: held, currency: "EUR", units: 100n, version: 3 }
    ])
    assert.deepStrictEqual(writes.head, { ...head, postingSeq: 23, lastAt: past + 5 })
    assert.strictEqual(writes.tenantId, tenant.id)
    assert.isUndefined(writes.tenant)
  })

  it("lets a command see what those before it have booked, and nothing of one that failed", () => {
    const look = deciding((view) => ({ reply: [view.balance(funds, "EUR").units, view.balance(held, "EUR").version] }))
    const { replies, writes } = run([
      look,
      putting(holding(30n)),
      look,
      // the second of its postings asks for more than there is: the first is not made either
      putting(holding(10n), holding(61n)),
      look,
      putting(holding(70n))
    ])
    assert.deepStrictEqual(
      replies.map((exit) => (Exit.isSuccess(exit) ? exit.value : exit._tag)),
      [[100n, 0], null, [70n, 1], "Failure", [70n, 1], null]
    )
    assert.deepStrictEqual(
      writes.legs.map(({ postingSeq, units }) => [postingSeq, units]),
      [21, 21, 22, 22].map((seq) => [seq, seq === 21 ? 30n : 70n])
    )
    assert.strictEqual(writes.head.postingSeq, 22)
  })

  it.each<readonly [string, Partial<Extract<Change, { _tag: "Posted" }>>, string]>([
    ["what nobody has", {}, "Failure"],
    ["what turned out not to be there", { mayOverdraw: true }, "Success"],
    ["what has happened, of what is owed", { happened: true }, "Failure"]
  ])("posts, or does not: %s", (_, more, end) => {
    assert.deepStrictEqual(
      run([putting(holding(101n, more))]).replies.map(({ _tag }) => _tag),
      [end]
    )
  })

  it("covers what a place does not have only where it has happened already", () => {
    const leaving = (more: Partial<Extract<Change, { _tag: "Posted" }>>): Change => {
      const legs: ReadonlyArray<Leg> = [
        { account: funds, direction: "DEBIT", currency: "EUR", units: 5n, what: "principal" },
        { account: "bank", direction: "CREDIT", currency: "EUR", units: 5n, what: "principal" }
      ]
      return { _tag: "Posted", operationId: "op", legs, ...more }
    }
    const reads = [readBalance(funds, "EUR"), ...placeReads("bank", "EUR")]
    const end = (more: Partial<Extract<Change, { _tag: "Posted" }>>) => {
      const { replies, writes } = run([deciding(() => ({ changes: [leaving(more)] }), reads)])
      return [replies[0]?._tag, writes.legs.map(({ account }) => account)]
    }
    assert.deepStrictEqual(end({}), ["Failure", []])
    assert.deepStrictEqual(end({ happened: true }), ["Success", [funds, "suspense:bank"]])
  })

  it("never goes back in time behind the tenant's last commit", () => {
    const look = deciding(({ now }) => ({ reply: now, changes: [holding(1n)] }))
    const moments = [past - 1, past, past + 1].map((now) => {
      const { replies, writes } = run([look], { now })
      return [replies[0], writes.head.lastAt, writes.legs[0]?.postedAt]
    })
    assert.deepStrictEqual(
      moments,
      [past, past, past + 1].map((at) => [Exit.succeed(at), at, at])
    )
  })

  it("gives events their numbers by what is written: what a refused command took is taken by the next", () => {
    const telling = (refused: boolean): Command<unknown> => ({
      name: "Telling",
      reads: [],
      decide: (view) => {
        const changes = [emit(view, "xpub.registered", "x", { first: true }), emit(view, "xpub.retired", "x", {})]
        return refused
          ? Result.fail(new Refusal({ code: "below_minimum", message: "no" }))
          : Result.succeed({ changes, reply: [view.nextEventId(), view.nextChangeSeq(), view.nextChangeSeq()] })
      }
    })
    const { replies, writes } = run([telling(true), telling(false)])
    assert.strictEqual(replies[0]?._tag, "Failure")
    assert.deepStrictEqual(replies[1], Exit.succeed([12, 5, 6]))
    assert.deepStrictEqual(writes.events, [
      { id: 10, kind: "xpub.registered", resourceId: "x", occurredAt: past + 5, data: { first: true } },
      { id: 11, kind: "xpub.retired", resourceId: "x", occurredAt: past + 5, data: {} }
    ])
    assert.deepStrictEqual([writes.head.eventId, writes.head.changeSeq], [11, 4])
  })

  it("writes each job once, as it is in the end, and a queue's apart from another's", () => {
    const { writes } = run([
      putting(schedule("send", "a", 1), schedule("send", "b", 2), schedule("sweep", "a", 3)),
      putting(schedule("send", "a", 4), unschedule("send", "b"))
    ])
    assert.deepStrictEqual(writes.jobs, [
      { queue: "send", key: "a", dueAt: 4 },
      { queue: "send", key: "b", dueAt: null },
      { queue: "sweep", key: "a", dueAt: 3 }
    ])
  })

  it("shows the tenant as the command before has left it, and writes it only where it was put", () => {
    const name = deciding((view) => ({ reply: view.tenant.name }))
    const renamed = { ...tenant, name: "Another" }
    const { replies, writes } = run([name, putting({ _tag: "TenantPut", tenant: renamed }), name])
    assert.deepStrictEqual(replies, [Exit.succeed(tenant.name), Exit.succeed(null), Exit.succeed("Another")])
    assert.deepStrictEqual([writes.tenant, writes.head.tenant], [renamed, renamed])
  })

  it("writes nothing and leaves the head where nothing was changed", () => {
    const { writes } = run([deciding(() => ({}))])
    assert.deepStrictEqual(writes, {
      tenantId: tenant.id,
      head: { ...head, lastAt: past + 5 },
      tenant: undefined,
      legs: [],
      balances: [],
      events: [],
      records: [],
      jobs: [],
      freed: [],
      claimed: [],
      keysReleasedBy: [],
      keyClaims: []
    })
  })

  it("shows new ids of the batch's source", () => {
    const ids = run([deciding((view) => ({ reply: view.newId() }))]).replies
    assert.strictEqual(ids.length, 1)
    assert.match(String(Exit.isSuccess(ids[0]!) && ids[0].value), /^[0-9a-f-]{36}$/u)
  })
})
