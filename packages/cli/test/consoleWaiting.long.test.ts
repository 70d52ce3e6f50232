import { grantHash } from "@bursar/core/grant/grantHash"
import { testApprover, testRoot } from "@bursar/testkit/fixtures/grants"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { assertUsable, consoleSkipped, goTo, openBrowser, settled } from "./support/consoleBrowser.ts"
import { operatorOn } from "./support/tenant.ts"
import { environmentOf, migratedDatabase, secrets, serve } from "./support/world.ts"

/** A service that goes by grants: one that waits, one that is outdated, and an endpoint that is switched off. */
const openWaiting = Effect.gen(function* () {
  const { url } = yield* migratedDatabase
  const keeper = yield* testApprover("keeper", 1)
  const server = yield* serve({ ...environmentOf(url), GRANT_ROOT: JSON.stringify(testRoot([keeper], 1)) })
  const operator = yield* operatorOn(server.operatorUrl)
  const { id } = yield* operator.tenants.create({ payload: { slug: "acme", name: "Acme", kind: "SANDBOX" } })
  const account = (seed_id: string) =>
    operator.grants.propose({
      params: { chain: id },
      payload: {
        kind: "issuing_account",
        values: { family: "evm", seed_id, account_key: `xpub-of-${seed_id}`, state: "ACTIVE" }
      }
    })
  yield* account("first")
  const second = yield* operator.grants.propose({
    params: { chain: id },
    payload: { kind: "suspension", values: { suspended: true, reason: "Asked for." } }
  })
  const approval = yield* keeper.sign(yield* grantHash(second.document))
  yield* operator.grants.approve({ params: { chain: id, proposal_id: second.id }, payload: { approval } })
  yield* account("second")
  yield* operator.tenants.activate({ params: { tenant_id: id }, payload: {} })
  yield* operator.tenants.suspend({ params: { tenant_id: id }, payload: { reason: "A drill." } })
  const webhook = yield* operator.webhooks.create({
    params: { tenant_id: id },
    payload: { url: "https://acme.example/hook" }
  })
  yield* operator.webhooks.disable({ params: { tenant_id: id, webhook_id: webhook.id } })
  const { signedIn } = yield* openBrowser(server.operatorUrl)
  return { acme: id, webhook, ...(yield* signedIn(secrets.OPERATOR_TOKEN)) }
})

class Waiting extends Context.Service<Waiting, Effect.Success<typeof openWaiting>>()("test/ConsoleWaiting") {
  static readonly layer = Layer.effect(Waiting, openWaiting)
}

if (consoleSkipped === undefined) {
  layer(Waiting.layer, { excludeTestServices: true, timeout: 120_000 })("what waits, in the console", (it) => {
    it.effect("is counted on Home over all tenants, with the way to each", () =>
      Effect.gen(function* () {
        const { complaints, page } = yield* Waiting
        yield* Effect.promise(async () => {
          await goTo(page, "/", "What needs you now")
          const counted = (title: string) => page.getByRole("region", { name: title, exact: true })
          await counted("Grants").getByRole("link", { name: "1", exact: true }).waitFor()
          assert.match(await counted("Endpoints").innerText(), /\n1\n[\s\S]*acme 1/u)
          assert.match(await counted("Suspense").innerText(), /\n0\n/u)
          assert.match(await counted("Adjustments").innerText(), /\n0\n/u)
          assert.match(await counted("Resolutions").innerText(), /\n0\n/u)
          await assertUsable(page, "Home")
          await counted("Endpoints").getByRole("link", { name: "acme" }).click()
          await settled(page, "Acme")
        })
        assert.deepStrictEqual(complaints, [])
      })
    )

    it.effect("is told of a proposal that nobody can approve any more: that, and why", () =>
      Effect.gen(function* () {
        const { page } = yield* Waiting
        yield* Effect.promise(async () => {
          await goTo(page, "/approvals", "Approvals")
          const outdated = page.getByRole("region", { name: "Outdated proposals" }).first()
          const text = await outdated.innerText()
          assert.include(text, "acme")
          assert.include(text, "issuing_account")
          assert.include(text, "Another grant was appended since it was proposed")
          await assertUsable(page, "Approvals")
        })
      })
    )

    it.effect("is found again in the history of its tenant, with the reason", () =>
      Effect.gen(function* () {
        const { acme, page } = yield* Waiting
        yield* Effect.promise(async () => {
          await goTo(page, `/tenants/${acme}`, "Acme")
          await page.getByRole("link", { name: "History" }).click()
          await settled(page, "Audit")
          const asked = page.getByRole("row", { name: /suspend/u }).filter({ hasText: "A drill." })
          await asked.waitFor()
          assert.strictEqual(await page.getByRole("row", { name: /POST \/operator\/v1\/tenants /u }).count(), 0)
          await assertUsable(page, "Audit")
        })
      })
    )

    it.effect("stands in the title of its tab: the screen, and of what", () =>
      Effect.gen(function* () {
        const { acme, page, webhook } = yield* Waiting
        yield* Effect.promise(async () => {
          const titles: ReadonlyArray<readonly [path: string, heading: string, title: string]> = [
            ["/", "What needs you now", "Home · Bursar"],
            [`/tenants/${acme}`, "Acme", "acme · Tenants · Bursar"],
            [`/tenants/${acme}/webhooks/${webhook.id}`, webhook.url, `${webhook.url} · Tenants · Bursar`],
            ["/deposits/addresses", "Addresses", "acme · Addresses · Bursar"],
            ["/search?text=x", "Found for x", "x · Search · Bursar"]
          ]
          for (const [path, heading, title] of titles) {
            await goTo(page, path, heading)
            assert.strictEqual(await page.title(), title)
          }
          // also where the page stays, and back again
          await page.getByRole("link", { name: "Audit" }).click()
          await settled(page, "Audit")
          assert.strictEqual(await page.title(), "Audit · Bursar")
          await page.goBack()
          await settled(page, "Found for x")
          assert.strictEqual(await page.title(), "x · Search · Bursar")
        })
      })
    )
  })
} else {
  layer(Layer.empty)("what waits, in the console", (it) => {
    it.effect.skip(consoleSkipped ?? "", () => Effect.void)
  })
}
