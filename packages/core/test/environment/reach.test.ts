import type { Command } from "@bursar/core/engine/Command"
import { askReach, outOfReach, type Reached, reaching, refuseReach } from "@bursar/core/environment/reach"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { store, submit } from "../transfer/world.ts"

const live: Reached = { name: "mainnet", environment: "LIVE" }
const sandbox: Reached = { name: "sepolia", environment: "SANDBOX" }
const [partner, tester] = [{ kind: "LIVE" }, { kind: "SANDBOX" }] as const

const done: Command<string> = { name: "Done", reads: [], decide: () => Result.succeed({ changes: [], reply: "done" }) }

describe("what a tenant reaches", () => {
  it.each([
    [partner, [], false],
    [partner, [live], false],
    [partner, [sandbox], true],
    [partner, [live, sandbox], true],
    [partner, [sandbox, live], true],
    [tester, [], false],
    [tester, [sandbox], false],
    [tester, [live], true],
    [tester, [sandbox, live], true]
  ] as const)("is of its own environment alone: %j reaches %j, refused %s", (tenant, reached, refused) => {
    assert.strictEqual(outOfReach(tenant, ...reached) !== undefined, refused)
    assert.strictEqual(refuseReach(tenant, ...reached)?.code, refused ? "product_not_enabled" : undefined)
  })

  it("is named where it is out of reach", () => {
    assert.include(outOfReach(partner, live, sandbox), "sepolia")
    assert.include(refuseReach(tester, sandbox, live)?.message, "mainnet")
  })

  it.effect("is asked of the tenant as it is when a command runs", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant({ kind: "SANDBOX" })
      assert.strictEqual(yield* submit(id, reaching([sandbox], done)), "done")
      const error = yield* Effect.flip(submit(id, reaching([sandbox, live], done)))
      assert.strictEqual(error._tag === "Refusal" && error.code, "product_not_enabled")
      assert.isNull(yield* submit(id, askReach(sandbox)))
      assert.include(yield* submit(id, askReach(sandbox, live)), "mainnet")
    }).pipe(Effect.provide(store))
  )
})
