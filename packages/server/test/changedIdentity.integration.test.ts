import { recordCheck, recordOpenedCheck } from "@bursar/core/customer/checkCommands"
import { EarlierIdentityProviders } from "@bursar/core/port/EarlierProviders"
import { IdentityProvider } from "@bursar/core/port/IdentityProvider"
import type { State } from "@bursar/memory"
import { approved, makeFakeIdentity } from "@bursar/testkit/fixtures/FakeIdentity"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Partner, portsOver } from "./support/Partner.ts"

const providers = Layer.mergeAll(
  Layer.succeed(IdentityProvider, makeFakeIdentity().provider),
  Layer.succeed(EarlierIdentityProviders, [{ ...makeFakeIdentity().provider, name: "earlier" }])
)

const ports = (state: State) => Layer.provideMerge(providers, portsOver(state))

/** A customer whose check is of a provider, and what is answered to one who asks for a check then. */
const asking = Effect.fnUntraced(function* (provider: string, check: ReturnType<typeof approved>) {
  const { seeder, send } = yield* Partner
  const tenant = yield* seeder.tenant()
  const key = yield* seeder.key(tenant)
  const { body: customer } = yield* send("POST", "/v1/customers", {
    key,
    body: { external_id: "a" },
    headers: { "idempotency-key": "a" }
  })
  const id: string = customer.id
  yield* seeder.submit(tenant, recordOpenedCheck(id, provider, { applicantId: "first", status: "PENDING" }))
  yield* seeder.submit(tenant, recordCheck(id, "first", check))
  const started = yield* send("POST", `/v1/customers/${id}/verification`, { key })
  const { body: current } = yield* send("GET", `/v1/customers/${id}/verification`, { key })
  return { id, started, current }
})

layer(Partner.layer({}, ports), { excludeTestServices: true })("a changed identity provider", (it) => {
  it.effect("leaves a customer approved whose check is asked for again", () =>
    Effect.gen(function* () {
      const { current, id, started } = yield* asking("earlier", approved(Date.now()))
      assert.strictEqual(started.status, 201)
      assert.deepStrictEqual(started.body, {
        customer_id: id,
        applicant_id: "first",
        status: "APPROVED",
        newly_created: false,
        verification_url: null,
        verification_url_expires_at: null
      })
      assert.strictEqual(current.status, "APPROVED")
    })
  )

  it.effect("keeps what an earlier approval grants beside the check that is opened for the rest", () =>
    Effect.gen(function* () {
      const { current, id, started } = yield* asking("earlier", approved(Date.now(), { capabilities: ["payouts"] }))
      assert.deepInclude(started.body, {
        applicant_id: `app-${id}`,
        status: "PENDING",
        newly_created: true,
        verification_url: `https://verify.test/app-${id}`
      })
      assert.deepInclude(current, { status: "APPROVED", capabilities: ["payouts"] })
    })
  )

  it.effect.each([
    { what: "an approval grants nothing", provider: "earlier", check: approved(1, { capabilities: [] }) },
    { what: "nobody can ask who grants something", provider: "gone", check: approved(1, { capabilities: ["swaps"] }) },
    { what: "an approval has expired", provider: "earlier", check: approved(1, { expiresAt: 2 }) },
    { what: "it was rejected", provider: "earlier", check: approved(1, { status: "REJECTED", capabilities: [] }) },
    { what: "nobody can ask who has approved it", provider: "gone", check: approved(1) }
  ])("opens a check where $what", ({ check, provider }) =>
    Effect.gen(function* () {
      const { current, id, started } = yield* asking(provider, check)
      assert.deepStrictEqual([started.body.applicant_id, started.body.newly_created], [`app-${id}`, true])
      assert.strictEqual(current.status, "PENDING")
    })
  )
})
