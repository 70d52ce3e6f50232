import { approverSetProblem } from "@bursar/core/grant/ApproverSet"
import { parseGrantRoot } from "@bursar/core/grant/GrantRoot"
import { testApprover, testRoot } from "@bursar/testkit/fixtures/grants"
import { smallOrderKeys } from "@bursar/testkit/fixtures/smallOrder"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"

describe("an Ed25519 key of small order, by which some runtimes take anybody's signatures", () => {
  it.effect.each(smallOrderKeys)("is no approver's, in a set or in a root: %s", (publicKey) =>
    Effect.gen(function* () {
      const ann = yield* testApprover("ann", 1)
      const root = testRoot([ann, yield* testApprover("bob", 2)], 2)
      const key = { type: "ed25519", public_key: publicKey } as const
      const set = { ...root, approvers: [ann.approver, { id: "bob", name: "Bob", keys: [key] }] }
      assert.match(approverSetProblem(set) ?? "", /no Ed25519 key of anybody's/u)
      assert.isTrue(Result.isFailure(parseGrantRoot(JSON.stringify(set))))
    })
  )

  it.effect("nor is one that is not written in its one form, by which nobody could ever approve", () =>
    Effect.gen(function* () {
      const ann = yield* testApprover("ann", 1)
      const [key] = ann.approver.keys
      const own = key?.public_key ?? assert.fail("there is no key")
      const last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
      const other = own.slice(0, -1) + (last[last.indexOf(own.at(-1) ?? "") + 1] ?? "")
      const set = testRoot([ann], 1)
      assert.isUndefined(approverSetProblem(set))
      const odd = { ...ann.approver, keys: [{ type: "ed25519", public_key: other } as const] }
      assert.isDefined(approverSetProblem({ ...set, approvers: [odd] }))
    })
  )
})
