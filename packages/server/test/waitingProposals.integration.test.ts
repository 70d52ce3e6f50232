import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { layerGranted, setUp } from "./support/grants.ts"

const suspension = { kind: "suspension", values: { suspended: true, reason: "Asked for." } }

const signingKey = {
  kind: "signing_key",
  values: {
    api_key_id: "AAAAAAAA",
    keyid: "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U",
    public_key: "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs",
    state: "ACTIVE"
  }
}

it.live("a proposal that waits is listed, however much was proposed and rejected since", () =>
  Effect.gen(function* () {
    const { as, propose, tenant } = yield* setUp
    // what approvers wait for: the stop of a tenant whose key is stolen
    const waits = yield* propose(suspension)
    assert.strictEqual(waits.status, 201, waits.text)
    // an operator of the least role that may propose, alone
    for (let n = 0; n < 200; n++) {
      const made = yield* propose({ ...signingKey, note: `${n}` })
      assert.strictEqual(made.status, 201, made.text)
      const path = `/chains/${tenant}/proposals/${made.body.id}/reject`
      const rejected = yield* as("otto", "POST", path, { reason: "No." })
      assert.strictEqual(rejected.status, 200, rejected.text)
    }
    const shown = yield* as("otto", "GET", `/chains/${tenant}/proposals/${waits.body.id}`)
    assert.strictEqual(shown.body.state, "OPEN")
    const listed = yield* as("otto", "GET", `/chains/${tenant}/proposals`)
    const open = listed.body.proposals.filter(({ state }: { readonly state: string }) => state === "OPEN")
    assert.deepStrictEqual(
      open.map(({ id }: { readonly id: string }) => id),
      [waits.body.id]
    )
  }).pipe(Effect.provide(layerGranted))
)
