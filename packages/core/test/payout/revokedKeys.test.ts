import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { addApiKey } from "@bursar/core/access/tenantCommands"
import { shownPrefix } from "@bursar/core/access/KeyFormat"
import { askLeaving, leavingOf } from "@bursar/core/payout/mayPayoutLeave"
import { addSigningKey, revokeSigningKey } from "@bursar/core/signature/signingKeyCommands"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { apiKeyFields } from "@bursar/testkit/fixtures/keys"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { accepted, evidence, payer, stateOf, store, submit } from "./world.ts"

const shownOf = (id: string): string => shownPrefix({ prefix: "bursar", environment: "live", id })

/** An API key whose requests are signed with the one key of the partner. */
const signingApiKey = Effect.fnUntraced(function* (tenantId: TenantId) {
  const key = apiKeyFields()
  yield* submit(tenantId, addApiKey(key))
  yield* submit(tenantId, addSigningKey({ apiKeyId: key.id, keyid: evidence.keyid, publicKey: "p" }))
  return key
})

const reasonOf = Effect.fnUntraced(function* (tenantId: TenantId, id: string) {
  const { payout } = yield* stateOf(tenantId, id)
  return (yield* submit(tenantId, askLeaving([leavingOf(payout)], presetNetworks.of(payout.network)))).get(id)?.reason
})

describe("a signing key that is bound to two API keys and revoked for one of them", () => {
  it.effect("stops the payouts of that API key, and not those of the other", () =>
    Effect.gen(function* () {
      const { id } = yield* payer()
      const [stolen, other] = [yield* signingApiKey(id), yield* signingApiKey(id)]
      const ofStolen = yield* accepted(id, { madeBy: shownOf(stolen.id) })
      const ofOther = yield* accepted(id, { madeBy: shownOf(other.id) })
      assert.isUndefined(yield* reasonOf(id, ofStolen.id))
      yield* submit(id, revokeSigningKey(evidence.keyid, stolen.id))
      assert.strictEqual(yield* reasonOf(id, ofStolen.id), "signing_key_revoked")
      assert.isUndefined(yield* reasonOf(id, ofOther.id))
      yield* submit(id, revokeSigningKey(evidence.keyid, null))
      assert.strictEqual(yield* reasonOf(id, ofOther.id), "signing_key_revoked")
    }).pipe(Effect.provide(store))
  )
})
