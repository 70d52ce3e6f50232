import { putRecord } from "@bursar/core/engine/Records"
import * as Writer from "@bursar/core/engine/Writer"
import { GrantProposal, openProposals } from "@bursar/core/grant/Grant"
import { rejectGrant } from "@bursar/core/grant/grantCommands"
import { GrantStore } from "@bursar/core/grant/GrantStore"
import { Queries } from "@bursar/core/store/Queries"
import { writing } from "@bursar/testkit/fixtures/commands"
import { newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

const given = {
  person: "ann",
  at: past,
  approval: { type: "ed25519", key: "A".repeat(43), signature: "B".repeat(86) }
} as const

const proposal = (id: string): GrantProposal => ({
  ...{ id, number: 1, hash: "0".repeat(64), document: "{}", approvals: [given], state: "OPEN", reason: null },
  ...{ proposedBy: "otto", proposedAt: past, expiresAt: past + 1, decidedBy: null, decidedAt: null }
})

layer(Writer.layer.pipe(Layer.provideMerge(ports())), { excludeTestServices: true })(
  "a proposal among whose approvals stands what is none",
  (it) => {
    for (const [odd, left] of [
      ["7", []],
      ["null", []],
      ['[{"person": "ann", "at": "now"}, 7, {}]', []],
      [JSON.stringify([{ ...given, at: 1e300 }, given, { ...given, approval: { type: "ed25519" } }]), [given]]
    ] as const)
      it.effect(`is listed without it beside the others, and can be rejected: ${odd.slice(0, 30)}`, () =>
        Effect.gen(function* () {
          const { records } = yield* Queries
          const store = yield* GrantStore
          const { submit } = yield* Writer.Writer
          const { id: chain } = yield* newTenant()
          const [one, other] = [crypto.randomUUID(), crypto.randomUUID()]
          for (const id of [one, other])
            yield* submit(
              chain,
              writing(() => [putRecord(GrantProposal, proposal(id))])
            )
          const sql = yield* client(url)
          yield* sql`update grant_proposal set approvals = ${odd}::text::json where proposal_id = ${one}::uuid`
          const expected = new Map<string, ReadonlyArray<unknown>>([
            [one, left],
            [other, [given]]
          ])
          const approvalsOf = (all: ReadonlyArray<GrantProposal>) => new Map(all.map((of) => [of.id, of.approvals]))
          assert.deepStrictEqual(approvalsOf(yield* records(chain, GrantProposal, openProposals)), expected)
          assert.deepStrictEqual(approvalsOf(yield* store.proposals(chain, past, 10)), expected)
          const rejected = yield* submit(chain, rejectGrant(one, { by: "otto", reason: "It is odd." }))
          assert.strictEqual(rejected.state, "REJECTED")
        }).pipe(Effect.scoped)
      )
  }
)
