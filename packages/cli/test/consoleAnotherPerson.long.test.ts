import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { writeOperator } from "../src/config/operators.ts"
import { consoleOrigin, consoleSkipped, goTo, openBrowser } from "./support/consoleBrowser.ts"
import { operatorOn } from "./support/tenant.ts"
import { environmentOf, migratedDatabase, serve } from "./support/world.ts"

const tokenOf = (name: string) => `${name}-${"0123456789abcdef".repeat(2)}`

const openConsole = Effect.gen(function* () {
  const { url } = yield* migratedDatabase
  const { OPERATOR_TOKEN: _, ...common } = environmentOf(url, { ethereum: "http://127.0.0.1:9" })
  const operators = ["ann", "bob"].map((name) =>
    writeOperator({ name, role: "admin", tokenHash: createHash("sha256").update(tokenOf(name)).digest("hex") })
  )
  const server = yield* serve({ ...common, OPERATORS: operators.join(",") })
  const [ann, bob] = [
    yield* operatorOn(server.operatorUrl, tokenOf("ann")),
    yield* operatorOn(server.operatorUrl, tokenOf("bob"))
  ]
  const { id } = yield* ann.tenants.create({ payload: { slug: "acme", name: "Acme", kind: "SANDBOX" } })
  const params = { tenant_id: id }
  yield* ann.tenants.activate({ params, payload: {} })
  const { signedIn } = yield* openBrowser(server.operatorUrl)
  return { ann, bob, params, signedIn: signedIn(tokenOf("ann")) }
})

class Console extends Context.Service<Console, Effect.Success<typeof openConsole>>()("test/AnotherPerson") {
  static readonly layer = Layer.effect(Console, openConsole)
}

/** Ann is about to suspend the tenant: the dialog is open. */
const aboutToSuspend = async (page: Page, tenant: string) => {
  await goTo(page, `/tenants/${tenant}`, "Acme")
  await page.locator(".who", { hasText: "ann · admin" }).waitFor()
  await page.getByRole("button", { name: "Suspend" }).click()
  return page.getByRole("dialog", { name: "Suspend" })
}

/** The page says that it is bob's, and nothing that ann had open is left. */
const isOfBob = async (page: Page) => {
  await page.locator(".who", { hasText: "bob · admin" }).waitFor()
  await page.getByRole("alert").filter({ hasText: "bob has signed in in another window" }).waitFor()
  assert.strictEqual(await page.getByRole("dialog").count(), 0)
}

if (consoleSkipped === undefined) {
  layer(Console.layer, { excludeTestServices: true, timeout: 120_000 })(
    "a window of a browser where somebody else has signed in",
    (it) => {
      it.effect("does nothing under a name that it does not show, and says who is signed in", () =>
        Effect.gen(function* () {
          const { ann, params, signedIn } = yield* Console
          const { page } = yield* signedIn
          yield* Effect.promise(async () => {
            const dialog = await aboutToSuspend(page, params.tenant_id)
            // bob takes ann's place, and nothing tells her window of it
            const status = await page.evaluate(
              (token) =>
                fetch("/operator/v1/sign-in", {
                  method: "POST",
                  headers: { "content-type": "application/json", "x-bursar-console": "1" },
                  body: JSON.stringify({ token })
                }).then((answer) => answer.status),
              tokenOf("bob")
            )
            assert.strictEqual(status, 200)
            await dialog.getByRole("button", { name: "Suspend" }).click()
            await isOfBob(page)
          })
          assert.strictEqual((yield* ann.tenants.get({ params })).status, "ACTIVE")
          const { entries } = yield* ann.audit.list({ query: { limit: 20 } })
          const refused = entries.find(({ route, status }) => route.endsWith("/suspend") && status !== null)
          assert.deepInclude(refused, { operator: "bob", status: 409 })
          assert.strictEqual(refused?.params["shown"], "ann")
        }).pipe(Effect.scoped)
      )

      it.effect("is told of it by the window in which they did", () =>
        Effect.gen(function* () {
          const { bob, params, signedIn } = yield* Console
          const { code } = yield* bob.session.link()
          const { page } = yield* signedIn
          yield* Effect.promise(async () => {
            await aboutToSuspend(page, params.tenant_id)
            const other = await page.context().newPage()
            await other.goto(`${consoleOrigin}/#code=${code}`)
            await other.getByRole("button", { name: "Sign in", exact: true }).click()
            await other.locator(".who", { hasText: "bob · admin" }).waitFor()
            await page.bringToFront()
            await isOfBob(page)
            // what bob does there is his
            await page.getByRole("button", { name: "Suspend" }).click()
            await page.getByRole("dialog", { name: "Suspend" }).getByRole("button", { name: "Suspend" }).click()
            await page.getByRole("button", { name: "Activate" }).waitFor()
          })
          const { entries } = yield* bob.audit.list({ query: { limit: 20 } })
          const done = entries.find(({ route, status }) => route.endsWith("/suspend") && status === 200)
          assert.strictEqual(done?.operator, "bob")
        }).pipe(Effect.scoped)
      )
    }
  )
} else {
  layer(Layer.empty)("a window of a browser where somebody else has signed in", (it) => {
    it.effect.skip(consoleSkipped ?? "", () => Effect.void)
  })
}
