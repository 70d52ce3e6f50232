import { beginCustody } from "@bursar/core/custody/beginCustody"
import { proposeDestination, verifyDestination } from "@bursar/core/destination/destinationCommands"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { contradictionsOf } from "@bursar/core/operation/contradictions"
import type { Operation } from "@bursar/core/operation/Operation"
import { done } from "@bursar/core/port/ProviderResult"
import type { WithdrawalState } from "@bursar/core/port/Custodian"
import { noteEvidence } from "@bursar/core/resolution/noteEvidence"
import type { Statement } from "@bursar/core/resolution/Resolution"
import { approveResolution, proposeResolution } from "@bursar/core/resolution/resolutionCommands"
import { recordWithdrawal } from "@bursar/core/withdrawal/recordWithdrawal"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { stated, stored } from "./world.ts"
import { store, submit, withdraw, withdrawer, wrong } from "../withdrawal/world.ts"

const one = "0x00000000000000000000000000000000000000aa"
const T = [`0x${"ab".repeat(32)}`, `0x${"cd".repeat(32)}`, `0x${"ef".repeat(32)}`]
const proof = { verdict: "PROVEN", detail: "it paid", fee: null } as const
const sentTo = Effect.fnUntraced(function* (address: string) {
  const id = yield* withdrawer()
  const wish = { currency: "USDC_BASE", network: "base", address, memo: null, label: address, by: "alice" } as const
  yield* submit(id, verifyDestination((yield* submit(id, proposeDestination(wish))).id, "bob"))
  const made = yield* withdraw(id, 100_000_000n)
  if (typeof made === "string") return assert.fail(made)
  const task = yield* submit(id, beginCustody(made, { name: "fake", environment: "LIVE" }))
  return task._tag === "Send" ? task.operation : assert.fail(task._tag)
})
const settle = Effect.fnUntraced(function* (operation: Operation, statement: Statement) {
  const { tenantId } = operation
  if (statement.txHash !== null)
    yield* submit(
      tenantId,
      noteEvidence({ operation, note: "seen", by: "anna", transaction: { hash: statement.txHash, proof } })
    )
  const asked = { operation, currencies: defaultCurrencies }
  const resolution = yield* submit(tenantId, proposeResolution({ ...asked, statement, by: "anna" }))
  yield* submit(
    tenantId,
    approveResolution({ ...asked, resolution, by: "ben", proof: statement.txHash === null ? null : proof })
  )
})
const ix = fc.nat(2)
const action = fc.oneof(
  fc.record({ t: fc.constant("pay" as const), i: ix }),
  fc.record({ t: fc.constant("fail" as const), i: ix }),
  { weight: 3, arbitrary: fc.record({ t: fc.constant("hear" as const), i: ix, h: fc.boolean(), form: fc.nat(2) }) },
  fc.record({ t: fc.constant("pendingHash" as const), i: ix }),
  fc.record({ t: fc.constant("order" as const), i: ix, id: fc.boolean(), h: fc.boolean() }),
  { weight: 2, arbitrary: fc.record({ t: fc.constant("chain" as const), i: ix, of: ix, basis: fc.boolean() }) }
)
describe("withdrawals to one receiver", () => {
  it("no more are settled than were paid", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 2, maxLength: 14 }), async (all) => {
        const log: string[] = []
        const problems = await Effect.runPromise(
          Effect.gen(function* () {
            const ws = [yield* sentTo(one), yield* sentTo(one), yield* sentTo(one)]
            const truth: ("pending" | "paid" | "failed")[] = ["pending", "pending", "pending"]
            const shape = (h: string, f: number) => (f === 0 ? h : f === 1 ? h.slice(2).toUpperCase() : `${h}:1`)
            const word = (i: number, h: boolean, f = 0): WithdrawalState =>
              truth[i] === "pending"
                ? { _tag: "Pending", providerReference: `o-${i}`, txHash: null }
                : truth[i] === "failed"
                  ? { _tag: "Failed", providerReference: `o-${i}`, reason: "no" }
                  : {
                      _tag: "Settled",
                      providerReference: `o-${i}`,
                      txHash: h ? shape(T[i]!, f) : null,
                      networkFee: null
                    }
            const hear = Effect.fnUntraced(function* (i: number, state: WithdrawalState) {
              const operation = yield* stored(ws[i]!.tenantId, ws[i]!)
              yield* submit(
                operation.tenantId,
                recordWithdrawal({
                  operation,
                  answer: done(state),
                  networkFeeBorneBy: "RECEIVER" as const,
                  currencies: defaultCurrencies
                })
              )
            })
            for (const a of all) {
              const w = yield* stored(ws[a.i]!.tenantId, ws[a.i]!)
              log.push(`${JSON.stringify(a)} | ${w.status} u=${w.unresolved} tx=${w.txHash} ref=${w.providerReference}`)
              if (a.t === "pay" && truth[a.i] === "pending") truth[a.i] = "paid"
              if (a.t === "fail" && truth[a.i] === "pending") truth[a.i] = "failed"
              if (a.t === "hear") yield* hear(a.i, word(a.i, a.h || w.txHash === null, a.form))
              if (a.t === "pendingHash" && truth[a.i] === "paid")
                yield* hear(a.i, { _tag: "Pending", providerReference: `o-${a.i}`, txHash: T[a.i]! })
              if (a.t === "order" && truth[a.i] === "paid" && a.h)
                yield* Effect.exit(
                  settle(w, stated({ providerReference: a.id ? `o-${a.i}` : null, txHash: a.h ? T[a.i]! : null }))
                )
              if (a.t === "order" && truth[a.i] === "failed")
                yield* Effect.exit(
                  settle(w, stated({ outcome: "FAILED", providerReference: a.id ? `o-${a.i}` : null }))
                )
              if (a.t === "chain" && truth[a.of] === "paid")
                yield* Effect.exit(
                  settle(
                    w,
                    stated({ basis: a.basis ? "CHAIN" : "PROVIDER", providerReference: null, txHash: T[a.of]! })
                  )
                )
            }
            for (let r = 0; r < 2; r++) for (const i of [0, 1, 2]) yield* hear(i, word(i, true))
            const end = yield* Effect.forEach(ws, (w) => stored(w.tenantId, w))
            end.forEach((w, i) =>
              log.push(
                `END ${i} ${w.status} u=${w.unresolved} tx=${w.txHash} ref=${w.providerReference} ${JSON.stringify(contradictionsOf(w))} truth ${truth[i]}`
              )
            )
            const settled = end.filter((w) => w.status === "SETTLED")
            const said = end.filter((w) => contradictionsOf(w).length > 0).length
            const paid = truth.filter((t) => t === "paid").length
            const problems: string[] = []
            if (settled.length - said > paid) problems.push("more settled than paid")
            if (paid - settled.length - end.filter((w) => w.unresolved).length - said > 0)
              problems.push("paid and not known")
            const txs = settled.map((w) => w.txHash).filter((h) => h !== null)
            if (new Set(txs).size < txs.length) problems.push("two settled by one transaction")
            for (const w of ws) problems.push(...(yield* wrong(w.tenantId)))
            return problems
          }).pipe(Effect.provide(store))
        )
        if (problems.length > 0) throw new Error(problems.join("\n") + "\n" + log.join("\n"))
      }),
      { numRuns: 100 }
    )
  })
})
