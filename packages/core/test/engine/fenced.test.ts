import type { Command } from "@bursar/core/engine/Command"
import { fenced, leaseEpoch } from "@bursar/core/engine/fenced"
import { collectReads } from "@bursar/core/engine/Read"
import { rejectWith } from "@bursar/core/engine/rejectWith"
import { readRecord } from "@bursar/core/engine/Records"
import { runBatch } from "@bursar/core/engine/runBatch"
import type { StorageError } from "@bursar/core/engine/StorageError"
import { firstHead } from "@bursar/core/engine/WriteSet"
import { Refusal } from "@bursar/core/base/Refusal"
import { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"
import { newIdAt } from "@bursar/testkit/fixtures/records"
import { past, tenantRecord } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Exit, Result } from "effect"
import { loadedWith } from "./loaded.ts"

const command: Command<string> = {
  name: "Deciding",
  reads: [readRecord(IdempotencyRecord, "k")],
  decide: (view) => Result.succeed({ changes: [], reply: `decided at ${view.now}` })
}

/** How a command ends where a leadership has come to some epoch. */
const end = (of: Command<unknown>, epochs: Readonly<Record<string, number>>) => {
  const { replies } = runBatch(
    [of],
    collectReads([of.reads]),
    loadedWith(firstHead(tenantRecord(past)), {
      facts: new Map([[leaseEpoch.name, new Map(Object.entries(epochs))]])
    }),
    { now: past, newId: () => newIdAt(past) }
  )
  return replies[0]
}

const refusedWith = (exit: Exit.Exit<unknown, Refusal | StorageError> | undefined): string | undefined =>
  exit !== undefined && Exit.isFailure(exit)
    ? exit.cause.reasons.flatMap((reason) =>
        reason._tag === "Fail" && reason.error._tag === "Refusal" ? [reason.error.code] : []
      )[0]
    : undefined

describe("a fenced command", () => {
  const under = fenced({ name: "sender", epoch: 3 }, command)

  it("keeps its name and what it reads, and reads who leads", () => {
    assert.strictEqual(under.name, "Deciding")
    assert.deepStrictEqual(under.reads.slice(0, 1), command.reads)
    assert.deepStrictEqual([...(collectReads([under.reads]).facts.get(leaseEpoch.name)?.keys ?? [])], ["sender"])
  })

  it("is decided under the leadership that sent it alone", () => {
    assert.deepStrictEqual(end(under, { sender: 3 }), Exit.succeed(`decided at ${past}`))
    for (const epochs of [{ sender: 2 }, { sender: 4 }, { another: 3 }, {}])
      assert.strictEqual(refusedWith(end(under, epochs)), "fenced")
  })

  it("of a leadership that nobody ever had is of epoch 0", () => {
    assert.deepStrictEqual(end(fenced({ name: "sender", epoch: 0 }, command), {}), Exit.succeed(`decided at ${past}`))
  })
})

describe("a command that is refused before it is sent", () => {
  it("is refused with what was said, and reads nothing", () => {
    const refusal = new Refusal({ code: "below_minimum", message: "no" })
    const rejected = rejectWith("Rejected", refusal)
    assert.deepStrictEqual([rejected.name, rejected.reads], ["Rejected", []])
    assert.strictEqual(refusedWith(end(rejected, {})), "below_minimum")
  })
})
