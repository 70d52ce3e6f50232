import { Destination } from "@bursar/core/destination/Destination"
import { putRecord } from "@bursar/core/engine/Records"
import { GrantProposal } from "@bursar/core/grant/Grant"
import { Operation } from "@bursar/core/operation/Operation"
import { writing } from "@bursar/testkit/fixtures/commands"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { layerGrantedOver, setUp } from "./support/grants.ts"
import { besideOdd } from "./support/oddOperations.ts"
import { Operator } from "./support/Operator.ts"
import { stored } from "./support/stored.ts"

const odd = new Set<string>()

it.live(
  "whoever rejects a destination beside a withdrawal that cannot be read is told so, and leaves a proposal that revokes it",
  () =>
    Effect.gen(function* () {
      const { ann, approve, bob, propose, state, tenant } = yield* setUp
      const { operate, seeder } = yield* Operator
      const id = crypto.randomUUID()
      const values = {
        id,
        currency: "USDT_ETH",
        network: "ethereum",
        address: "0x9858effd232b4033e47d90003d41ec34ecaeda94",
        memo: null,
        label: "Treasury",
        usable_from: new Date(Date.now() + 48 * 3_600_000).toISOString(),
        state: "ACTIVE"
      }
      const proposal = yield* propose({ kind: "destination", values })
      yield* approve(proposal, ann)
      yield* approve(proposal, bob)
      assert.isDefined(stored(state, tenant, Destination).get(id))
      yield* seeder.submit(
        tenant,
        writing((view) => [
          putRecord(Operation, bareOperation(view, { kind: "WITHDRAWAL", status: "ACCEPTED", network: "ethereum" }))
        ])
      )
      for (const operation of stored(state, tenant, Operation).values()) odd.add(operation.id)
      const path = `/operator/v1/tenants/${tenant}/destinations`
      const rejected = yield* operate("POST", `${path}/${id}/reject`, { body: { reason: "It is stolen." } })
      assert.strictEqual(rejected.status, 200, rejected.text)
      assert.strictEqual(rejected.body.state, "REJECTED")
      const open = [...stored(state, tenant, GrantProposal).values()].filter((one) => one.state === "OPEN")
      assert.lengthOf(open, 1)
      const listed = yield* operate("GET", path)
      assert.deepStrictEqual([listed.status, listed.body.destinations?.length], [200, 1])
    }).pipe(Effect.provide(layerGrantedOver(besideOdd(odd))))
)
