import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { consoleOrigin, consoleSkipped, goTo, settled } from "./support/consoleBrowser.ts"
import { consoleWithTenant } from "./support/consoleWithTenant.ts"

class Console extends Context.Service<Console, Effect.Success<ReturnType<typeof consoleWithTenant>>>()(
  "test/ConsoleReleases"
) {
  static readonly layer = Layer.effect(Console, consoleWithTenant())
}

const codeOfNetworks = "**/assets/Networks-*.js"

const open = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name, exact: true }).click()

/** Has the page remember that it was not loaded anew. */
const markPage = (page: Page) => page.evaluate("void (globalThis.isThisPage = true)")

const isThisPage = (page: Page) => page.evaluate<boolean>("globalThis.isThisPage === true")

/** Has the service serve another release: no code of the one before, and a page that begins with other code. */
const release = async (page: Page) => {
  await page.route(codeOfNetworks, (route) => route.fulfill({ status: 404, json: {} }))
  await page.route(
    ({ pathname }) => pathname === "/",
    (route) => route.fulfill({ body: `<script type="module" src="/assets/index-new.js"></script>` })
  )
  // what the browser itself asks for is the new release, with all of its code
  await page.route(
    ({ pathname }) => pathname === "/networks",
    async (route) => {
      await page.unroute(codeOfNetworks)
      await route.continue()
    }
  )
}

const atHome = Effect.gen(function* () {
  const { signedIn } = yield* Console
  const { page } = yield* signedIn
  yield* Effect.promise(() => goTo(page, "/", "What needs you now"))
  yield* Effect.promise(() => markPage(page))
  return page
})

if (consoleSkipped === undefined) {
  layer(Console.layer, { excludeTestServices: true, timeout: 120_000 })("code of a screen that is not there", (it) => {
    it.effect("is loaded by itself once the network is back", () =>
      Effect.gen(function* () {
        const page = yield* atHome
        yield* Effect.promise(async () => {
          await page.context().setOffline(true)
          await open(page, "Networks")
          await page.getByText("the service cannot be reached").waitFor()
          await page.context().setOffline(false)
          await settled(page, "Networks")
          assert.isTrue(await isThisPage(page))
        })
      }).pipe(Effect.scoped)
    )

    it.effect("is asked for once more by itself, and then whenever somebody asks for it", () =>
      Effect.gen(function* () {
        const page = yield* atHome
        yield* Effect.promise(async () => {
          let asked = 0
          await page.route(codeOfNetworks, (route) => {
            asked += 1
            return route.abort()
          })
          await open(page, "Networks")
          const again = page.getByRole("button", { name: "Try again" })
          await again.waitFor()
          await page.getByText("This page could not be loaded.").waitFor()
          assert.strictEqual(asked, 2)
          await page.unroute(codeOfNetworks)
          await again.click()
          await settled(page, "Networks")
          assert.isTrue(await isThisPage(page))
        })
      }).pipe(Effect.scoped)
    )

    it.effect("has the page loaded anew where another release is served", () =>
      Effect.gen(function* () {
        const page = yield* atHome
        yield* Effect.promise(async () => {
          await release(page)
          await open(page, "Networks")
          await settled(page, "Networks")
          assert.isFalse(await isThisPage(page))
          assert.strictEqual(page.url(), `${consoleOrigin}/networks`)
        })
      }).pipe(Effect.scoped)
    )

    it.effect("has no page loaded anew over an open dialog: what is typed into it stays until it is closed", () =>
      Effect.gen(function* () {
        const page = yield* atHome
        yield* Effect.promise(async () => {
          await goTo(page, "/tenants", "Tenants")
          await markPage(page)
          await release(page)
          // an answer that is on its way keeps the dialog open on the next screen
          await page.route("**/operator/v1/tenants", (route) =>
            route.request().method() === "POST" ? new Promise(() => undefined) : route.continue()
          )
          await page.getByRole("button", { name: "New tenant" }).click()
          const dialog = page.getByRole("dialog", { name: "New tenant" })
          await dialog.getByLabel("Short name").fill("other")
          await dialog.getByLabel("Name", { exact: true }).fill("Other")
          await dialog.getByRole("button", { name: "New tenant" }).click()
          await page.evaluate("history.pushState(null, '', '/networks')")
          await page.getByText("The console was updated").waitFor()
          assert.strictEqual(await dialog.getByLabel("Short name").inputValue(), "other")
          assert.isTrue(await isThisPage(page))
          await dialog.getByRole("button", { name: "Close" }).click()
          await settled(page, "Networks")
          assert.isFalse(await isThisPage(page))
        })
      }).pipe(Effect.scoped)
    )
  })
} else {
  layer(Layer.empty)("code of a screen that is not there", (it) => {
    it.effect.skip(consoleSkipped ?? "", () => Effect.void)
  })
}
