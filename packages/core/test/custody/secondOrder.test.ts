import { contradiction } from "@bursar/core/custody/contradiction"
import type { WithdrawalState } from "@bursar/core/port/Custodian"
import { done } from "@bursar/core/port/ProviderResult"
import { operationOf } from "../operation/world.ts"
import { assert, describe, it } from "@effect/vitest"

const txHash = `0x${"ab".repeat(32)}`
const settled = done<WithdrawalState>({ _tag: "Settled", providerReference: "c-9", txHash, networkFee: null })

describe("a withdrawal that operators have stated, and of which the custodian says that it settled under another id", () => {
  for (const [what, providerReference, details, isSecond] of [
    ["had told an id", "ticket-7", { told_reference: "c-1" }, true],
    ["had told none", "ticket-7", { told_reference: null }, false],
    // rows of old do not say what it had told
    ["had told an id, or none, before that was kept", "ticket-7", {}, true],
    ["had told none before that was kept, as the chain proved it", txHash, {}, false]
  ] as const)
    it(`has ${isSecond ? "a second order" : "one order by two names"} where the custodian ${what}`, () => {
      const operation = operationOf("WITHDRAWAL", { status: "SETTLED", providerReference, txHash, details })
      const said = isSecond
        ? { said: `it says that the order is settled by ${txHash.slice(2)}`, moved: true }
        : undefined
      assert.deepStrictEqual(contradiction(operation, settled), said)
    })
})
