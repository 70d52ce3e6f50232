import { somebody } from "@bursar/testkit/fixtures/people"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SandboxControl from "../src/control/SandboxControl.ts"
import * as SandboxFiat from "../src/fiat/SandboxFiat.ts"
import * as SandboxIdentity from "../src/identity/SandboxIdentity.ts"
import * as SandboxStore from "../src/store/SandboxStore.ts"

describe("the controls of identity and fiat", () => {
  it.live("are served over HTTP, side by side", () =>
    Effect.gen(function* () {
      const store = SandboxStore.memory()
      const identity = yield* SandboxIdentity.make({ store })
      const fiat = yield* SandboxFiat.make({ store, activateAfterMs: 0 })
      const { url } = yield* SandboxControl.serve([...identity.routes, ...fiat.routes])
      const post = (path: string, body: unknown) =>
        Effect.promise(async () => {
          const headers = { "content-type": "application/json" }
          const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })
          return { status: response.status, json: (await response.json()) as Record<string, unknown> }
        })

      const check = yield* identity.provider.open({ customerId: "ours", isBusiness: false, country: null })
      if (check._tag !== "Done") return assert.fail(check._tag)
      const { applicantId } = check.value
      const result = yield* post(`/identity/${applicantId}/result`, { status: "RED", reject_type: "RETRY" })
      assert.deepInclude(result.json, { applicant: applicantId, status: "ACTION_REQUIRED" })
      assert.strictEqual((yield* identity.provider.state(applicantId)).status, "ACTION_REQUIRED")

      const person = yield* fiat.provider.register({ reference: "ours", isBusiness: false, identity: somebody })
      if (person._tag !== "Done") return assert.fail(person._tag)
      const { providerCustomerId } = person.value
      yield* fiat.provider.openAccount({ reference: "account", providerCustomerId, currency: "GBP", country: null })
      const arrived = { account: "account", amount: "250.00", currency: "GBP", description: "rent" }
      assert.deepInclude((yield* post("/fiat/incoming", arrived)).json, { amount: "250", currency: "GBP" })
      assert.deepStrictEqual((yield* post("/fiat/next", { outcome: "never" })).json, { next: ["never"] })
      assert.strictEqual((yield* post("/fiat/next", { outcome: "explode" })).status, 422)
      assert.strictEqual((yield* post("/identity/nobody/result", { status: "GREEN" })).status, 404)
      return undefined
    })
  )
})
