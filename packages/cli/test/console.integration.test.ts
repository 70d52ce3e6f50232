import { assert, layer } from "@effect/vitest"
import axe from "axe-core"
import { Context, Effect, Layer } from "effect"
import { existsSync } from "node:fs"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { fileURLToPath } from "node:url"
import { bursar } from "./support/bursar.ts"
import { tempDir } from "./support/tempDir.ts"
import { operatorOn } from "./support/tenant.ts"
import { environmentOf, migratedDatabase, secrets, serve } from "./support/world.ts"

const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync)
const chromiumPath = process.env["CHROMIUM"] ?? program

const built = existsSync(fileURLToPath(new URL("../../console/dist/app/index.html", import.meta.url)))

/** Why the console is not tried, or undefined. */
const skipped =
  chromiumPath === undefined
    ? "needs chromium: install it, or name it in CHROMIUM"
    : built
      ? undefined
      : "needs the console's files: npm run build"

/** A text that would run if a page took it for markup. */
const canary = `<img src=x onerror="globalThis.robbed=1"><script>globalThis.robbed=1</script>`

/** A service with a tenant whose name is an attack, and a browser. */
const openConsole = Effect.gen(function* () {
  const { url } = yield* migratedDatabase
  // nothing listens there: a network that is on and cannot be reached
  const server = yield* serve(environmentOf(url, { ethereum: "http://127.0.0.1:9" }))
  const cwd = yield* tempDir
  const env = { BURSAR_OPERATOR_URL: server.operatorUrl, OPERATOR_TOKEN: secrets.OPERATOR_TOKEN }
  const operator = yield* operatorOn(server.operatorUrl)
  const robber = yield* operator.tenants.create({ payload: { slug: "robber", name: canary, kind: "SANDBOX" } })
  const browser = yield* Effect.acquireRelease(
    Effect.promise(() =>
      chromium.launch({ ...(chromiumPath !== undefined && { executablePath: chromiumPath }), args: ["--no-sandbox"] })
    ),
    (open: Browser) => Effect.promise(() => open.close())
  )
  /** A page of a browser of its own, with what it complained of. */
  const open = (options: BrowserContextOptions = {}) =>
    Effect.gen(function* () {
      const context = yield* Effect.acquireRelease(
        Effect.promise(() => browser.newContext(options)),
        (one) => Effect.promise(() => one.close())
      )
      const page = yield* Effect.promise(() => context.newPage())
      const complaints: Array<string> = []
      page.on("pageerror", ({ message }) => complaints.push(message))
      page.on("console", (message) => {
        // the page asks on purpose who is signed in, and for grants where the service may have none
        const isAsked = /status of 40[13] /u.test(message.text())
        if (message.type() === "error" && !isAsked) complaints.push(message.text())
      })
      return { page, complaints }
    })
  const link = Effect.map(bursar(["console", "link"], { env, cwd }), ({ stdout }) => stdout.trim())
  const signedIn = (options: BrowserContextOptions = {}) =>
    Effect.gen(function* () {
      const one = yield* open(options)
      const address = yield* link
      yield* Effect.promise(() => one.page.goto(address))
      yield* Effect.promise(() => one.page.getByRole("button", { name: "Sign in" }).click())
      yield* Effect.promise(() => one.page.getByRole("heading", { name: "What needs you now" }).waitFor())
      return one
    })
  return { operator, operatorUrl: server.operatorUrl, open, link, robber, signedIn }
})

class Console extends Context.Service<Console, Effect.Success<typeof openConsole>>()("test/Console") {
  static readonly layer = Layer.effect(Console, openConsole)
}

/** Every screen, with the heading by which a person knows it. */
const screensOf = (tenantId: string) =>
  [
    ["/", "What needs you now"],
    ["/operations", "Operations"],
    ["/approvals", "Approvals"],
    ["/balances", "Balances"],
    ["/tenants", "Tenants"],
    [`/tenants/${tenantId}`, canary],
    ["/networks", "Networks"],
    ["/audit", "Audit"],
    [`/search?text=${encodeURIComponent("robber")}`, "Found for robber"]
  ] as const

/** What axe finds wrong with a page by WCAG A and AA. */
const faultsOf = async (page: Page): Promise<ReadonlyArray<string>> => {
  // the policy of the page runs no text as a script, so the checker comes from outside of it
  const session = await page.context().newCDPSession(page)
  await session.send("Runtime.evaluate", { expression: axe.source })
  const { result } = await session.send("Runtime.evaluate", {
    expression: `axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21aa"] }).then(({ violations }) =>
      JSON.stringify(violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" "))))`,
    awaitPromise: true
  })
  return JSON.parse(result.value)
}

const settled = async (page: Page, heading: string) => {
  await page.getByRole("heading", { name: heading, exact: true, level: 1 }).waitFor()
  await page.locator("main:not(:has-text('Loading …'))").waitFor()
}

if (skipped === undefined) {
  layer(Console.layer, { excludeTestServices: true, timeout: 120_000 })("the console", (it) => {
    it.effect("is entered by a link once, and by nobody without", () =>
      Effect.gen(function* () {
        const { link, open, operatorUrl } = yield* Console
        const [first, second] = [yield* open(), yield* open()]
        const address = yield* link
        yield* Effect.promise(() => first.page.goto(address))
        assert.notInclude(first.page.url(), "code")
        yield* Effect.promise(() => first.page.getByRole("button", { name: "Sign in" }).click())
        yield* Effect.promise(() => first.page.getByRole("heading", { name: "What needs you now" }).waitFor())
        yield* Effect.promise(() => second.page.goto(address))
        yield* Effect.promise(() => second.page.getByRole("button", { name: "Sign in" }).click())
        yield* Effect.promise(() => second.page.getByText("The link was used, or has expired").waitFor())
        yield* Effect.promise(() => second.page.goto(`${operatorUrl}/tenants`))
        yield* Effect.promise(() => second.page.getByLabel("Your operator token").waitFor())
        const kept = yield* Effect.promise(() =>
          first.page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])")
        )
        assert.strictEqual(kept, '[{},{},""]')
      }).pipe(Effect.scoped)
    )

    it.effect("shows every screen, takes no text for markup, and is usable by all in light and dark", () =>
      Effect.gen(function* () {
        const { operatorUrl, robber, signedIn } = yield* Console
        for (const colorScheme of ["light", "dark"] as const) {
          const { complaints, page } = yield* signedIn({ colorScheme })
          for (const [path, heading] of screensOf(robber.id)) {
            yield* Effect.promise(() => page.goto(`${operatorUrl}${path}`))
            yield* Effect.promise(() => settled(page, heading))
            assert.deepStrictEqual(yield* Effect.promise(() => faultsOf(page)), [], `${colorScheme} ${path}`)
          }
          assert.isUndefined(yield* Effect.promise(() => page.evaluate("globalThis.robbed")))
          assert.deepStrictEqual(complaints, [])
        }
      }).pipe(Effect.scoped)
    )

    it.effect("fits a phone: no screen is wider than 360 pixels", () =>
      Effect.gen(function* () {
        const { operatorUrl, robber, signedIn } = yield* Console
        const { page } = yield* signedIn({ viewport: { width: 360, height: 740 } })
        for (const [path, heading] of screensOf(robber.id)) {
          yield* Effect.promise(() => page.goto(`${operatorUrl}${path}`))
          yield* Effect.promise(() => settled(page, heading))
          assert.strictEqual(
            yield* Effect.promise(() => page.evaluate<number>("document.documentElement.scrollWidth")),
            360,
            path
          )
        }
      }).pipe(Effect.scoped)
    )

    it.effect("is used by keyboard alone: to a screen, to a search, and through an action", () =>
      Effect.gen(function* () {
        const { operator, signedIn } = yield* Console
        const { page } = yield* signedIn()
        const { keyboard } = page
        yield* Effect.promise(async () => {
          await keyboard.press("g")
          await keyboard.press("t")
          await settled(page, "Tenants")
          await page.getByRole("button", { name: "New tenant" }).focus()
          await keyboard.press("Enter")
          await page.getByLabel("Short name").waitFor()
          await keyboard.type("by-keyboard")
          await keyboard.press("Tab")
          await keyboard.type("By keyboard")
          await keyboard.press("Enter")
          await page.getByRole("link", { name: "by-keyboard" }).waitFor()
          await page.getByRole("dialog").waitFor({ state: "hidden" })
          await keyboard.press("/")
          await keyboard.type("by-keyboard")
          await keyboard.press("Enter")
          await page.getByRole("link", { name: "TENANT", exact: true }).waitFor()
        })
        const { tenants } = yield* operator.tenants.list()
        assert.include(
          tenants.map(({ slug }) => slug),
          "by-keyboard"
        )
      }).pipe(Effect.scoped)
    )

    it.effect("does an action once, says why one is refused, and changes nothing then", () =>
      Effect.gen(function* () {
        const { operator, operatorUrl, signedIn } = yield* Console
        const { page } = yield* signedIn()
        const stopped = Effect.map(operator.health.networks(), ({ networks }) =>
          networks.find(({ network }) => network === "ethereum")
        )
        yield* Effect.promise(async () => {
          await page.goto(`${operatorUrl}/networks`)
          await settled(page, "Networks")
          const row = page.getByRole("row", { name: /ethereum/u })
          await row.getByRole("button", { name: "Stop payouts" }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click()
        })
        assert.isTrue((yield* stopped)?.payouts_enabled)
        yield* Effect.promise(async () => {
          const row = page.getByRole("row", { name: /ethereum/u })
          await row.getByRole("button", { name: "Stop payouts" }).click()
          const dialog = page.getByRole("dialog")
          await dialog.getByLabel("Reason").fill("The node lies.")
          await dialog.getByRole("button", { name: "Stop payouts" }).click()
          await row.getByText("The node lies.").waitFor()
        })
        assert.deepInclude(yield* stopped, { payouts_enabled: false, payouts_off_reason: "The node lies." })
        yield* Effect.promise(async () => {
          await page.goto(`${operatorUrl}/tenants`)
          await settled(page, "Tenants")
          await page.getByRole("button", { name: "New tenant" }).click()
          await page.getByLabel("Short name").fill("robber")
          await page.getByRole("textbox", { name: "Name", exact: true }).fill("Another")
          await page.getByRole("dialog").getByRole("button", { name: "New tenant" }).click()
          await page.getByRole("alert").waitFor()
        })
        const { tenants } = yield* operator.tenants.list()
        assert.lengthOf(
          tenants.filter(({ slug }) => slug === "robber"),
          1
        )
      }).pipe(Effect.scoped)
    )

    it.effect("asks who somebody is again once the session is over, and signs out everywhere", () =>
      Effect.gen(function* () {
        const { operatorUrl, signedIn } = yield* Console
        const [one, other] = [yield* signedIn(), yield* signedIn()]
        yield* Effect.promise(async () => {
          await one.page.getByRole("button", { name: "Sign out" }).click()
          await one.page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click()
          await one.page.getByLabel("Your operator token").waitFor()
          await other.page.goto(`${operatorUrl}/audit`)
          await other.page.getByLabel("Your operator token").waitFor()
        })
      }).pipe(Effect.scoped)
    )
  })
} else {
  layer(Layer.empty)("the console", (it) => {
    it.effect.skip(skipped, () => Effect.void)
  })
}
