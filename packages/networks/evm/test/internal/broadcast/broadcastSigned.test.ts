import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hashOf } from "../../support/blocks.ts"
import { body, refuse } from "../../support/ScriptedNode.ts"
import { setup, signed } from "../../support/senderNode.ts"

describe("broadcast", () => {
  const { hash, raw } = signed()
  const answers: ReadonlyArray<readonly [string, unknown, string]> = [
    ["its hash", hash, "Accepted"],
    ["its hash in capitals", `0x${hash.slice(2).toUpperCase()}`, "Accepted"],
    ["another hash", hashOf(1), "Unknown"],
    ["nothing", null, "Unknown"],
    ["geth: already known", refuse(-32000, "already known"), "Accepted"],
    ["nethermind: AlreadyKnown", refuse(-32010, "AlreadyKnown"), "Accepted"],
    ["besu: known transaction", refuse(-32000, "Known transaction"), "Accepted"],
    ["anvil: imported", refuse(-32003, "transaction already imported"), "Accepted"],
    ["geth: nonce too low", refuse(-32000, "nonce too low: next nonce 7, tx nonce 5"), "guard_used"],
    ["nethermind: OldNonce", refuse(-32010, "OldNonce, Current nonce: 7"), "guard_used"],
    ["geth: underpriced", refuse(-32000, "replacement transaction underpriced"), "fee_too_low"],
    ["nethermind: FeeTooLow", refuse(-32010, "FeeTooLow, MaxFeePerGas too low"), "fee_too_low"],
    ["geth: below the base fee", refuse(-32000, "max fee per gas less than block base fee"), "fee_too_low"],
    ["bsc: below the minimum", refuse(-32000, "transaction underpriced: tip needed 50000000"), "fee_too_low"],
    ["geth: insufficient funds", refuse(-32000, "insufficient funds for gas * price + value"), "invalid"],
    ["geth: intrinsic gas", refuse(-32000, "intrinsic gas too low"), "invalid"],
    ["geth: chain id", refuse(-32000, "invalid sender: invalid chain id for signer"), "invalid"],
    ["geth: pool full", refuse(-32000, "txpool is full"), "busy"],
    ["a provider's limit", refuse(-32005, "daily request count exceeded"), "busy"],
    ["erigon: nonce too high", refuse(-32000, "nonce too high"), "busy"],
    ["words that are not known", refuse(-32000, "computer says no"), "Unknown"],
    ["HTTP 503", body("down", 503, "text/plain"), "Unknown"],
    ["no JSON", body("<html>", 200, "text/html"), "Unknown"]
  ]
  for (const [what, answer, expected] of answers) {
    it.live(`means ${expected} when the node answers ${what}`, () =>
      Effect.gen(function* () {
        const { node, sender } = yield* setup()
        node.answer("eth_sendRawTransaction", () => answer)
        const said = yield* sender.broadcast(raw)
        assert.strictEqual(said._tag === "Rejected" ? said.reason : said._tag, expected)
        assert.strictEqual(node.asked("eth_sendRawTransaction"), 1)
      })
    )
  }
})
