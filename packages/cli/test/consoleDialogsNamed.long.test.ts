import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Locator, Page } from "playwright-core"
import { consoleSkipped, goTo } from "./support/consoleBrowser.ts"
import { consoleWithTenant } from "./support/consoleWithTenant.ts"

const urls = ["http://127.0.0.1:9/one", "http://127.0.0.1:9/two"]

const openConsole = Effect.gen(function* () {
  const { operator, params, path, signedIn } = yield* consoleWithTenant("The Company")
  const hooks = yield* Effect.forEach(urls, (one) => operator.webhooks.create({ params, payload: { url: one } }))
  yield* operator.keys.create({ params, payload: { label: "Payouts", bundle: "introspection" } })
  const { page } = yield* signedIn
  return { hooks, operator, page, params, path }
})

class Console extends Context.Service<Console, Effect.Success<typeof openConsole>>()("test/DialogsNamed") {
  static readonly layer = Layer.effect(Console, openConsole)
}

/** Whether all of an open dialog is within its width. */
const isWithin = `(() => {
  const one = document.querySelector("dialog[open]")
  return one.scrollWidth <= one.clientWidth
})()`

/** What the dialog of a button says once it says a text, of which nothing is cut off. */
const saidBy = async (page: Page, within: Locator, label: string, text: RegExp | string = label) => {
  await within.getByRole("button", { name: label, exact: true }).first().click()
  const dialog = page.getByRole("dialog", { name: label, exact: true })
  await dialog.getByText(text).first().waitFor()
  const said = await dialog.innerText()
  assert.isTrue(await page.evaluate<boolean>(isWithin), label)
  await dialog.getByRole("button", { name: "Cancel" }).click()
  return said
}

/** The dialogs on a tenant's page that are not of a row. */
const ofTenant = [
  "Adjust",
  "Activate",
  "Give it test money",
  "Propose a destination",
  "New API key",
  "Revoke",
  "New wallet",
  "Register a signing key",
  "New endpoint",
  "Simulate a fee",
  "Add a fee rule",
  "Close a month"
]

if (consoleSkipped === undefined) {
  layer(Console.layer, { excludeTestServices: true, timeout: 120_000 })("dialogs of the console", (it) => {
    it.effect("on a tenant's page name the tenant", () =>
      Effect.gen(function* () {
        const { page, path } = yield* Console
        yield* Effect.promise(async () => {
          await goTo(page, path, "The Company")
          const main = page.locator("main")
          for (const label of ofTenant) assert.match(await saidBy(page, main, label), /Tenant\s+acme/u, label)
        })
      })
    )

    it.effect("name the endpoint, in the list of endpoints and on its own page", () =>
      Effect.gen(function* () {
        const { hooks, page, path } = yield* Console
        yield* Effect.promise(async () => {
          const labels = ["Disable", "Rotate the secret", "Ping", "Replay"]
          await goTo(page, path, "The Company")
          for (const label of labels) {
            const said = await saidBy(page, page.getByRole("row", { name: /two/u }), label)
            assert.match(said, /Tenant\s+acme\s+Endpoint\s+http:\/\/127.0.0.1:9\/two/u, label)
          }
          await goTo(page, `${path}/webhooks/${hooks[0]?.id}`, urls[0] ?? "")
          for (const label of labels) {
            // the name of the tenant is read beside the endpoint
            const said = await saidBy(page, page.locator("main"), label, /^acme$/u)
            assert.match(said, /Tenant\s+acme\s+Endpoint\s+http:\/\/127.0.0.1:9\/one/u, label)
          }
        })
      })
    )

    it.effect("tell the months of the service from those of a tenant, and one session from another", () =>
      Effect.gen(function* () {
        const { page } = yield* Console
        yield* Effect.promise(async () => {
          await goTo(page, "/books", "Books")
          assert.include(await saidBy(page, page.locator("main"), "Close a month"), "the whole service")
          await goTo(page, "/settings", "Settings")
          const row = page.getByRole("row", { name: /this browser/u })
          assert.match(await saidBy(page, row, "End"), /Signed in\s+\S.*\s+Until\s+\S.*\s+Browser\s+this one/u)
        })
      })
    )

    it.effect("name a key that is revoked as its row does", () =>
      Effect.gen(function* () {
        const { operator, page, params, path } = yield* Console
        yield* operator.keys.create({ params, payload: { label: "Shop  two", scopes: ["deposits:read"] } })
        yield* Effect.promise(async () => {
          await goTo(page, path, "The Company")
          const row = page.getByRole("row", { name: /Shop/u })
          await row.getByText(String.raw`Shop \u{20}two`).waitFor()
          assert.include(await saidBy(page, row, "Revoke", /Shop/u), String.raw`(Shop \u{20}two)`)
        })
      })
    )
  })
} else {
  layer(Layer.empty)("dialogs of the console", (it) => {
    it.effect.skip(consoleSkipped ?? "", () => Effect.void)
  })
}
