import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { AuditSeals } from "@bursar/core/port/AuditSeals"
import { SigningView } from "@bursar/core/port/SigningView"
import * as Memory from "@bursar/memory"
import { emptyState } from "@bursar/memory/Store"
import { makeAuditSealer, openStore } from "@bursar/signer"
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit, Redacted } from "effect"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const view = SigningView.of({
  progress: () => Effect.succeed(undefined),
  progressOfAll: Effect.succeed(new Map()),
  onPrimary: (effect) => effect,
  newestSignatures: () => Effect.succeed([]),
  openSignatures: () => Effect.succeed([]),
  answeredRequests: () => Effect.succeed([])
})

for (const [what, change] of [
  ["says something else", { params: { tenant: "another" } }],
  // what a column of JSON can hold
  ["says nothing that can be hashed", { params: null as never }],
  ["cannot be read", { at: Infinity }]
] as const)
  it.live(`a record that somebody has rewritten is told as a broken log where it ${what}`, () => {
    const state = emptyState()
    return Effect.gen(function* () {
      const store = yield* openStore({ directory: mkdtempSync(join(tmpdir(), "unreadable-")) }, view)
      const keys = { current: "k", byId: new Map([["k", Redacted.make(new Uint8Array(32).fill(1))]]) }
      const audit = yield* OperatorAudit
      // as the adapter of a database does where a row is of another form
      const after: typeof audit.after = (id, limit) =>
        Effect.map(audit.after(id, limit), (page) => {
          if (page.some(({ at }) => at === Infinity)) throw new Error("a moment was expected")
          return page
        })
      const reading = OperatorAudit.of({ ...audit, after })
      const sealer = yield* Effect.provideService(makeAuditSealer({ keys, store }), OperatorAudit, reading)
      for (let at = 1; at < 4; at += 1)
        yield* audit.append({
          actionId: crypto.randomUUID(),
          at,
          operator: "mallory",
          role: "admin",
          method: "POST",
          route: "/",
          params: {},
          status: 201,
          requestId: "r",
          address: "",
          content: null
        })
      const first = yield* sealer.seal(0)
      if (first === null) return assert.fail("no seal")
      yield* (yield* AuditSeals).add(first)
      const [one, record] = state.audit
      if (one === undefined || record === undefined) return assert.fail("no record")
      state.audit[1] = { ...record, operator: "alice", ...change }
      const exit = yield* Effect.exit(sealer.verify)
      assert.match(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "right", /AuditBroken.*Record 2/u)
      // the record of the newest seal is looked at before anything is sealed, too
      state.audit[1] = record
      state.audit[2] = { ...(state.audit[2] ?? record), hash: "", ...change }
      const sealing = yield* Effect.exit(sealer.seal(0))
      assert.match(
        Exit.isFailure(sealing) ? Cause.pretty(sealing.cause) : "right",
        /AuditBroken.*[Rr]ecords? (up to )?3/u
      )
    }).pipe(Effect.scoped, Effect.provide(Memory.layerOver(state)))
  })
