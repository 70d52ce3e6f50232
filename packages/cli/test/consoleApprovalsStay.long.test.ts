import { testApprover, testRoot } from "@bursar/testkit/fixtures/grants"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { consoleSkipped, openBrowser } from "./support/consoleBrowser.ts"
import { operatorOn } from "./support/tenant.ts"
import { environmentOf, migratedDatabase, secrets, serve } from "./support/world.ts"

/** A service that goes by grants, with one that waits for an approval. */
const openApprovals = Effect.gen(function* () {
  const { url } = yield* migratedDatabase
  const root = testRoot([yield* testApprover("keeper", 1)], 1)
  const server = yield* serve({ ...environmentOf(url), GRANT_ROOT: JSON.stringify(root) })
  const operator = yield* operatorOn(server.operatorUrl)
  const tenant = yield* operator.tenants.create({ payload: { slug: "acme", name: "Acme", kind: "SANDBOX" } })
  const values = { family: "evm", seed_id: "seed", account_key: "xpub-of-seed", state: "ACTIVE" }
  yield* operator.grants.propose({ params: { chain: tenant.id }, payload: { kind: "issuing_account", values } })
  const { signedIn } = yield* openBrowser(server.operatorUrl)
  const { page } = yield* signedIn(secrets.OPERATOR_TOKEN)
  return { acme: tenant.id, operator, page }
})

class Approvals extends Context.Service<Approvals, Effect.Success<typeof openApprovals>>()("test/ApprovalsStay") {
  static readonly layer = Layer.effect(Approvals, openApprovals)
}

if (consoleSkipped === undefined) {
  layer(Approvals.layer, { excludeTestServices: true, timeout: 120_000 })(
    "grants that wait, on the screen Approvals",
    (it) => {
      it.effect("stay, with an open dialog and what was typed into it, while the grants of a new tenant are read", () =>
        Effect.gen(function* () {
          const { acme, operator, page } = yield* Approvals
          const dialog = page.getByRole("dialog", { name: "Reject" })
          let answer = () => {}
          const answered = new Promise<void>((resolve) => {
            answer = resolve
          })
          yield* Effect.promise(async () => {
            await page.getByRole("link", { name: "Approvals", exact: true }).first().click()
            const grants = page.getByRole("region", { name: "Grants of acme" })
            await grants.getByRole("button", { name: "Reject" }).first().click()
            await dialog.getByLabel("Reason").fill("Not asked for.")
            // only the list of a tenant that is not there yet is late
            const isLate = ({ pathname }: URL) =>
              pathname.endsWith("/proposals") && !pathname.includes("/fleet/") && !pathname.includes(acme)
            await page.route(isLate, (route) => answered.then(() => route.continue()))
          })
          yield* operator.tenants.create({ payload: { slug: "other", name: "Other", kind: "SANDBOX" } })
          yield* Effect.promise(async () => {
            await page.locator("main").getByText("Loading …").waitFor()
            assert.strictEqual(await dialog.getByLabel("Reason").inputValue(), "Not asked for.")
            answer()
            await page.locator("main:not(:has-text('Loading …'))").waitFor()
            assert.strictEqual(await dialog.getByLabel("Reason").inputValue(), "Not asked for.")
          })
        })
      )
    }
  )
} else {
  layer(Layer.empty)("grants that wait, on the screen Approvals", (it) => {
    it.effect.skip(consoleSkipped ?? "", () => Effect.void)
  })
}
