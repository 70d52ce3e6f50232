import { assert, it } from "@effect/vitest"
import { eventKinds, isEventKind } from "../../src/webhook/eventKinds.ts"
import { webhookHeaders } from "../../src/webhook/webhookHeaders.ts"

it("headers carry the service's own name", () => {
  assert.deepStrictEqual(webhookHeaders("service"), {
    eventId: "X-Service-Event-Id",
    timestamp: "X-Service-Timestamp",
    signature: "X-Service-Signature"
  })
  assert.strictEqual(webhookHeaders("north bank").signature, "X-North-Bank-Signature")
  assert.strictEqual(webhookHeaders("ACME_pay").eventId, "X-Acme-Pay-Event-Id")
})

it("only what happens to a deposit itself is about a deposit; crediting one is an operation", () => {
  const deposits = Object.entries(eventKinds)
    .filter(([, type]) => type === "deposit")
    .map(([kind]) => kind)
  assert.deepStrictEqual(deposits, ["deposit.detected", "deposit.confirmed", "deposit.reorged"])
  assert.strictEqual(eventKinds["deposit.settled"], "operation")
})

it("names that every object has are no kinds", () => {
  assert.isTrue(isEventKind("swap.unresolved"))
  for (const text of ["toString", "constructor", "", "swap"]) assert.isFalse(isEventKind(text))
})
