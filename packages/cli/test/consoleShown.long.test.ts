import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { consoleSkipped, goTo } from "./support/consoleBrowser.ts"
import { consoleWithTenant } from "./support/consoleWithTenant.ts"

const turned = "http://127.0.0.1:9/a\u202e/x"

const openConsole = Effect.gen(function* () {
  const { operator, params, path, signedIn } = yield* consoleWithTenant()
  const webhook = yield* operator.webhooks.create({ params, payload: { url: turned } })
  return { operator, path, signedIn, webhook: webhook.id }
})

class Console extends Context.Service<Console, Effect.Success<typeof openConsole>>()("test/Shown") {
  static readonly layer = Layer.effect(Console, openConsole)
}

const id = (n: number) => `01980000-0000-7000-8000-00000000000${n}`

const sweep = (n: number, state: string) => ({
  id: id(n),
  network: "ethereum",
  address_id: id(9),
  address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
  amount: { amount: "1", currency: "ETH" },
  state,
  top_up_transaction_id: null,
  sweep_transaction_id: null,
  deposits: [],
  problem: null,
  created_at: "2026-11-29T12:00:00.000Z",
  ended_at: null,
  closed_at: null
})

const stop = { stopped: "fireblocks", reason: "A theft.", by: "reconciliation", at: "2026-11-29T12:00:00.000Z" }

if (consoleSkipped === undefined) {
  layer(Console.layer, { excludeTestServices: true, timeout: 120_000 })("what the console shows", (it) => {
    it.effect("hides no title of a screen on a phone", () =>
      Effect.gen(function* () {
        const { signedIn } = yield* Console
        const { page } = yield* signedIn
        yield* Effect.promise(async () => {
          await page.setViewportSize({ width: 360, height: 740 })
          await goTo(page, "/", "What needs you now")
          await page.getByText("differences that nothing explains").waitFor()
          const title = await page.getByRole("heading", { name: "What needs you now" }).boundingBox()
          const screens = await page.getByRole("navigation", { name: "Screens" }).boundingBox()
          assert.isAtLeast(title?.y ?? 0, (screens?.y ?? 0) + (screens?.height ?? Infinity))
        })
      }).pipe(Effect.scoped)
    )

    it.effect("begins at the first page when sweeps are filtered", () =>
      Effect.gen(function* () {
        const { signedIn } = yield* Console
        const { page } = yield* signedIn
        yield* Effect.promise(async () => {
          // the one under way is newer than the second page
          await page.route("**/sweeps?*", (route) => {
            const { searchParams } = new URL(route.request().url())
            const isLater = searchParams.has("after")
            const isOpen = searchParams.get("open") === "true"
            const sweeps = isLater ? (isOpen ? [] : [sweep(2, "SWEPT")]) : [sweep(1, "ELIGIBLE")]
            return route.fulfill({ json: { sweeps, next_after: isLater || isOpen ? null : id(1) } })
          })
          await goTo(page, "/wallets/sweeps", "Sweeps")
          await page.getByRole("button", { name: "Next page" }).click()
          await page.getByText("SWEPT").waitFor()
          await page.getByLabel("Only those under way").click()
          await page.getByText("ELIGIBLE").waitFor()
        })
      }).pipe(Effect.scoped)
    )

    it.effect("says at Home that a place is stopped, also where its drawings cannot be loaded", () =>
      Effect.gen(function* () {
        const { signedIn } = yield* Console
        const { page } = yield* signedIn
        yield* Effect.promise(async () => {
          await page.route("**/operator/v1/reconciliation", (route) =>
            route.fulfill({ json: { breaks: [], places: [], stops: [stop] } })
          )
          await page.route("**/assets/OverTime*", (route) => route.abort())
          await goTo(page, "/", "What needs you now")
          await page.locator("main").evaluate("scrollTo(0, document.body.scrollHeight)")
          await page.getByRole("alert").filter({ hasText: "This part of the page could not be loaded" }).waitFor()
          await page.unroute("**/assets/OverTime*")
          const stopped = page.getByRole("region", { name: "Stopped" })
          assert.strictEqual(await stopped.getByRole("link").innerText(), "1")
          await page.getByRole("button", { name: "Load the page again" }).click()
          await page.getByRole("heading", { name: "What needs you now" }).waitFor()
          assert.strictEqual(await page.getByRole("alert").count(), 0)
          await stopped.getByRole("link").click()
          await page.getByText("A theft.").waitFor()
        })
      }).pipe(Effect.scoped)
    )

    it.effect("shows what happened before its stream was there, which failed at first", () =>
      Effect.gen(function* () {
        const { operator, signedIn } = yield* Console
        const { page } = yield* signedIn
        yield* Effect.promise(async () => {
          await page.route("**/operator/v1/stream", (route) => route.abort())
          await goTo(page, "/tenants", "Tenants")
          await page.getByRole("status").filter({ hasText: "No live updates" }).waitFor()
        })
        yield* operator.tenants.create({ payload: { slug: "meanwhile", name: "Meanwhile", kind: "SANDBOX" } })
        yield* Effect.promise(async () => {
          await page.unroute("**/operator/v1/stream")
          await page
            .getByRole("status")
            .filter({ hasText: /^Live$/u })
            .waitFor()
          await page.getByRole("link", { name: "meanwhile" }).waitFor({ timeout: 6_000 })
        })
      }).pipe(Effect.scoped)
    )

    it.effect("turns no letters around in dialogs and titles", () =>
      Effect.gen(function* () {
        const { path, signedIn, webhook } = yield* Console
        const { page } = yield* signedIn
        yield* Effect.promise(async () => {
          await page.goto(`http://localhost:4801${path}/webhooks/${webhook}`)
          await page.getByRole("button", { name: "Disable" }).click()
          const dialog = await page.getByRole("dialog", { name: "Disable" }).innerText()
          const title = await page.locator("main h1").innerText()
          assert.notInclude(dialog + title, "\u202e")
          assert.include(dialog, "\\u{202e}")
        })
      }).pipe(Effect.scoped)
    )

    it.effect("confirms nothing by the double click that opened a dialog", () =>
      Effect.gen(function* () {
        const { path, signedIn } = yield* Console
        const { page } = yield* signedIn
        yield* Effect.promise(async () => {
          await page.setViewportSize({ width: 390, height: 844 })
          await goTo(page, path, "Acme")
          const opener = page.getByRole("button", { name: "New wallet" })
          const dialog = page.getByRole("dialog", { name: "New wallet" })
          const confirm = dialog.getByRole("button", { name: "New wallet" })
          await opener.click()
          const wanted = await confirm.boundingBox()
          await dialog.getByRole("button", { name: "Cancel" }).click()
          const box = await opener.boundingBox()
          if (wanted === null || box === null) return assert.fail("a button is not shown")
          // somebody has scrolled so far that one stands where the other will
          await page.mouse.wheel(0, box.y - wanted.y)
          await page.waitForTimeout(500)
          const posts: Array<string> = []
          page.on("request", (request) => void (request.method() === "POST" && posts.push(request.url())))
          const there = await opener.boundingBox()
          if (there === null) return assert.fail("the button is not shown")
          const x = Math.max(there.x, wanted.x) + 8
          const y = Math.max(there.y, wanted.y) + 8
          await page.mouse.dblclick(x, y, { delay: 60 })
          await confirm.waitFor()
          assert.deepStrictEqual(posts, [])
          // a click of its own confirms
          const asked = page.waitForRequest((request) => request.method() === "POST")
          await confirm.click()
          await asked
          return assert.lengthOf(posts, 1)
        })
      }).pipe(Effect.scoped)
    )
  })
} else {
  layer(Layer.empty)("what the console shows", (it) => {
    it.effect.skip(consoleSkipped ?? "", () => Effect.void)
  })
}
