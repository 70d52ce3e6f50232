import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { consoleSkipped, goTo } from "./support/consoleBrowser.ts"
import { consoleWithTenant } from "./support/consoleWithTenant.ts"

const openConsole = Effect.gen(function* () {
  const { operator, params, signedIn } = yield* consoleWithTenant()
  yield* operator.tenants.activate({ params, payload: {} })
  /** The page of the tenant, after another screen. */
  const atTenant = Effect.gen(function* () {
    const { page } = yield* signedIn
    yield* Effect.promise(() => goTo(page, "/tenants", "Tenants"))
    yield* Effect.promise(() => page.getByRole("link", { name: "acme", exact: true }).first().click())
    yield* Effect.promise(() => page.getByRole("button", { name: "New API key" }).waitFor())
    return page
  })
  return { atTenant, operator, params }
})

class Console extends Context.Service<Console, Effect.Success<typeof openConsole>>()("test/OpenDialogs") {
  static readonly layer = Layer.effect(Console, openConsole)
}

/** Asks for an API key whose answer comes once it is let go. */
const askForKey = async (page: Page) => {
  let letGo: () => void = () => undefined
  const later = new Promise<void>((done) => {
    letGo = done
  })
  await page.route(
    "**/keys",
    async (route) => {
      await later
      await route.continue()
    },
    { times: 1 }
  )
  await page.getByRole("button", { name: "New API key" }).click()
  const dialog = page.getByRole("dialog", { name: "New API key" })
  await dialog.getByLabel("What it is for").fill("Payouts")
  await dialog.getByLabel("Bundle of scopes").selectOption({ index: 1 })
  await dialog.getByRole("button", { name: "New API key" }).click()
  await dialog.getByRole("button", { name: "Working …" }).waitFor()
  return { dialog, letGo }
}

const adjustment = (index: number, amount: string, state: "BOOKED" | "PROPOSED") => ({
  id: `01980000-0000-7000-8000-00000000000${index}`,
  state,
  amount: { amount, currency: "USDT_ETH" },
  against: "suspense",
  from: null,
  assigns: null,
  corrects: null,
  reason: "Told by mail.",
  proposed_by: "somebody",
  decided_by: state === "PROPOSED" ? null : "another",
  rejected_reason: null,
  operation_id: null,
  created_at: "2026-11-29T12:00:00.000Z",
  decided_at: state === "PROPOSED" ? null : "2026-11-29T12:01:00.000Z"
})

if (consoleSkipped === undefined) {
  layer(Console.layer, { excludeTestServices: true, timeout: 120_000 })("an open dialog of the console", (it) => {
    const ways: ReadonlyArray<readonly [string, (page: Page) => Promise<unknown>]> = [
      ["the keys that go to another screen", (page) => page.keyboard.press("g").then(() => page.keyboard.press("h"))],
      ["the Back button", (page) => page.goBack()]
    ]
    for (const [what, leave] of ways)
      it.effect(`loses no secret that is on its way by ${what}`, () =>
        Effect.gen(function* () {
          const { atTenant } = yield* Console
          const page = yield* atTenant
          yield* Effect.promise(async () => {
            const { dialog, letGo } = await askForKey(page)
            await leave(page)
            letGo()
            await dialog.getByText("It is not shown again").waitFor()
            await dialog.getByRole("button", { name: "Close" }).click()
            await dialog.waitFor({ state: "hidden" })
          })
        }).pipe(Effect.scoped)
      )

    it.effect("goes with its screen as long as nothing was asked", () =>
      Effect.gen(function* () {
        const { atTenant } = yield* Console
        const page = yield* atTenant
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "New API key" }).click()
          const dialog = page.getByRole("dialog", { name: "New API key" })
          await dialog.waitFor()
          await page.goBack()
          await dialog.waitFor({ state: "hidden" })
        })
      }).pipe(Effect.scoped)
    )

    it.effect(
      "stays where somebody else decides what it asks about, says so, and what is typed into it opens no other",
      () =>
        Effect.gen(function* () {
          const { atTenant, operator, params } = yield* Console
          const page = yield* atTenant
          let first: "BOOKED" | "PROPOSED" = "PROPOSED"
          const dialog = page.getByRole("dialog", { name: "Reject" })
          yield* Effect.promise(async () => {
            await page.route("**/float-adjustments", (route) =>
              route.fulfill({ json: { adjustments: [adjustment(1, "5", first), adjustment(2, "70000", "PROPOSED")] } })
            )
            await goTo(page, `/tenants/${params.tenant_id}`, "Acme")
            const row = page
              .getByRole("region", { name: "Adjustments" })
              .getByRole("row", { name: /USDT_ETH/u })
              .first()
            await row.getByRole("button", { name: "Reject" }).click()
            await dialog.getByLabel("Reason").pressSequentially("It is not ")
          })
          first = "BOOKED"
          // something happens, so that the page reads again
          yield* operator.tenants.create({ payload: { slug: "another", name: "Another", kind: "SANDBOX" } })
          yield* Effect.promise(async () => {
            await dialog.getByText("This is not in the page any more").waitFor()
            await page.keyboard.type("a payment of Acme")
            assert.strictEqual(await dialog.getByLabel("Reason").inputValue(), "It is not a payment of Acme")
            // others above it take a row out of the page, too: it can be confirmed, and what was decided is refused
            assert.isTrue(await dialog.getByRole("button", { name: "Reject" }).isEnabled())
            assert.strictEqual(await page.getByRole("dialog").count(), 1)
          })
        }).pipe(Effect.scoped)
    )

    it.effect("leaves what it was refused with on the screen that one goes back to", () =>
      Effect.gen(function* () {
        const { atTenant } = yield* Console
        const page = yield* atTenant
        yield* Effect.promise(async () => {
          await page.route("**/suspend", (route) => route.abort())
          await page.getByRole("button", { name: "Suspend" }).click()
          const dialog = page.getByRole("dialog", { name: "Suspend" })
          await dialog.getByRole("button", { name: "Suspend" }).click()
          await dialog.getByText("The service did not answer").waitFor()
          await page.goBack()
          await dialog.waitFor({ state: "hidden" })
          await page.getByRole("main").getByText("The service did not answer").waitFor()
        })
      }).pipe(Effect.scoped)
    )

    it.effect("does nothing later that was confirmed while the browser was offline", () =>
      Effect.gen(function* () {
        const { atTenant, operator, params } = yield* Console
        const page = yield* atTenant
        const dialog = page.getByRole("dialog", { name: "Suspend" })
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Suspend" }).click()
          await page.context().setOffline(true)
          await dialog.getByRole("button", { name: "Suspend" }).click()
          await dialog.getByText("The service did not answer").waitFor()
          await dialog.getByRole("button", { name: "Cancel" }).click()
          await page.context().setOffline(false)
          // what the browser would ask now goes before what the page asks next
          const read = page.waitForResponse(/\/operator\/v1\/networks/u)
          await page.getByRole("link", { name: "Networks", exact: true }).click()
          await read
        })
        assert.strictEqual((yield* operator.tenants.get({ params })).status, "ACTIVE")
      }).pipe(Effect.scoped)
    )
  })
} else {
  layer(Layer.empty)("an open dialog of the console", (it) => {
    it.effect.skip(consoleSkipped ?? "", () => Effect.void)
  })
}
