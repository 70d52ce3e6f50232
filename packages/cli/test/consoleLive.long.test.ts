import { assert, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import {
  canary,
  consoleOrigin,
  consoleSkipped,
  goTo,
  assertUsable,
  openBrowser,
  settled
} from "./support/consoleBrowser.ts"
import { writeOperations } from "./support/manyOperations.ts"
import { operatorOn } from "./support/tenant.ts"
import { environmentOf, migratedDatabase, secrets, serve, sqlOn } from "./support/world.ts"

/** How many operations there are: more than a list could hold in a page. */
const manyOperations = 100_000

/** A service whose process can be stopped and started at the same port, with a tenant that has many operations. */
const openConsole = Effect.gen(function* () {
  const { url } = yield* migratedDatabase
  const env = environmentOf(url)
  const start = Effect.fnUntraced(function* (port: string) {
    const scope = yield* Scope.make()
    const server = yield* Effect.provideService(serve({ ...env, OPERATOR_PORT: port }), Scope.Scope, scope)
    return { operatorUrl: server.operatorUrl, stop: Scope.close(scope, Exit.void) }
  })
  let running = yield* start("0")
  yield* Effect.addFinalizer(() => running.stop)
  const { operatorUrl } = running
  const { port } = new URL(operatorUrl)
  const operator = yield* operatorOn(operatorUrl)
  const busy = yield* operator.tenants.create({ payload: { slug: "busy", name: "Busy", kind: "SANDBOX" } })
  const sql = yield* sqlOn(url)
  yield* writeOperations(sql, busy.id, manyOperations)
  const { signedIn } = yield* openBrowser(operatorUrl)
  return {
    busy,
    operator,
    signedIn: (options = {}) => signedIn(secrets.OPERATOR_TOKEN, options),
    stop: Effect.suspend(() => running.stop),
    startAgain: Effect.map(start(port), (next) => void (running = next))
  }
})

class Console extends Context.Service<Console, Effect.Success<typeof openConsole>>()("test/Console") {
  static readonly layer = Layer.effect(Console, openConsole)
}

if (consoleSkipped === undefined) {
  layer(Console.layer, { excludeTestServices: true, timeout: 240_000 })("the console, live and full", (it) => {
    it.effect(
      "keeps of a hundred thousand operations only those in view in the page, and finds its way through them",
      () =>
        Effect.gen(function* () {
          const { signedIn } = yield* Console
          const { complaints, page } = yield* signedIn()
          const inPage = () => page.locator("tbody tr[data-index]").count()
          yield* Effect.promise(async () => {
            await goTo(page, "/operations", "Operations")
            await page.getByText("200 shown, scroll for more").waitFor()
          })
          assert.isBelow(yield* Effect.promise(inPage), 100)
          yield* Effect.promise(async () => {
            for (let n = 0; n < 40; n++) await page.keyboard.press("j")
            const selected = page.locator('tr[aria-selected="true"][data-index="39"]')
            await selected.waitFor()
            assert.isTrue(await selected.evaluate((row) => row.getBoundingClientRect().bottom <= innerHeight))
            const list = page.getByRole("region", { name: "Operations" })
            for (const shown of [400, 600, 800, 1_000]) {
              await list.evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
              await page.getByText(`${shown} shown`).waitFor()
            }
          })
          assert.isBelow(yield* Effect.promise(inPage), 100)
          assert.deepStrictEqual(complaints, [])
        }).pipe(Effect.scoped)
    )

    it.effect("writes all that is filtered into a file, whole", () =>
      Effect.gen(function* () {
        const { busy, signedIn } = yield* Console
        const { page } = yield* signedIn()
        const text = yield* Effect.promise(async () => {
          await goTo(page, `/operations?tenant_id=${busy.id}&status=FAILED`, "Operations")
          const [download] = await Promise.all([
            page.waitForEvent("download"),
            page.getByRole("button", { name: "CSV of all" }).click()
          ])
          assert.strictEqual(download.suggestedFilename(), "operations.csv")
          const chunks: Array<Buffer> = []
          for await (const chunk of await download.createReadStream()) chunks.push(chunk)
          return Buffer.concat(chunks).toString("utf8")
        })
        const lines = text.trimEnd().split("\r\n")
        assert.strictEqual(lines.length, 1 + manyOperations / 50 + 1)
        assert.strictEqual(lines.at(-1), "end")
      }).pipe(Effect.scoped)
    )

    it.effect("keeps filters under a name, gives them back, and forgets them", () =>
      Effect.gen(function* () {
        const { busy, signedIn } = yield* Console
        const { page } = yield* signedIn()
        yield* Effect.promise(async () => {
          await goTo(page, "/operations", "Operations")
          await page.getByLabel("Status").selectOption("FAILED")
          await page.waitForURL(/status=FAILED/u)
          await page.getByLabel("Name of the view").fill("All that failed")
          await page.getByLabel("Name of the view").press("Enter")
          await page.getByRole("link", { name: "All that failed" }).waitFor()
          await goTo(page, "/operations", "Operations")
          await page.getByRole("link", { name: "All that failed" }).click()
          await page.waitForURL(/status=FAILED/u)
          await page.getByRole("button", { name: "Forget this view" }).click()
          await page.getByRole("link", { name: "All that failed" }).waitFor({ state: "detached" })
          await goTo(page, `/operations?tenant_id=${busy.id}`, "Operations")
          assert.strictEqual(await page.getByLabel("Tenant").inputValue(), busy.id)
          await page.getByLabel("Kind").selectOption("SWAP")
          await page.waitForURL((url) => url.search === `?tenant_id=${busy.id}&kind=SWAP`)
        })
      }).pipe(Effect.scoped)
    )

    it.effect("finds an operation by its amount, and by its reference, which is an attack", () =>
      Effect.gen(function* () {
        const { signedIn } = yield* Console
        const { page } = yield* signedIn()
        yield* Effect.promise(async () => {
          await page.keyboard.press("/")
          await page.keyboard.type("0.1 ETH")
          await page.keyboard.press("Enter")
          await settled(page, "Found for 0.1 ETH")
          await page.getByRole("link", { name: "SWAP" }).click()
          await page.getByText(canary).waitFor()
        })
        assert.isUndefined(yield* Effect.promise(() => page.evaluate("globalThis.robbed")))
      }).pipe(Effect.scoped)
    )

    it.effect(
      "draws what happened over time, with every figure as a table, and is usable by all, in light, dark and narrow",
      () =>
        Effect.gen(function* () {
          const { signedIn } = yield* Console
          const { complaints, page } = yield* signedIn()
          yield* Effect.promise(async () => {
            await goTo(page, "/", "What needs you now")
            await page.locator("main > *").last().scrollIntoViewIfNeeded()
            const figure = page.getByRole("figure", { name: "Operations accepted, and what became of them" })
            await figure.locator("canvas").waitFor()
            await figure.getByText("As a table").click()
            await figure.getByRole("columnheader", { name: "settled" }).waitFor()
            await page.getByRole("figure", { name: "Volume in ETH" }).locator("canvas").waitFor()
          })
          yield* Effect.promise(() => assertUsable(page, "home"))
          assert.deepStrictEqual(complaints, [])
        }).pipe(Effect.scoped)
    )

    it.effect("shows what somebody else does, though it asks for nothing by itself for a minute", () =>
      Effect.gen(function* () {
        const { operator, signedIn } = yield* Console
        const { page } = yield* signedIn()
        yield* Effect.promise(async () => {
          await goTo(page, "/tenants", "Tenants")
          await page.getByText("Live", { exact: true }).waitFor()
        })
        yield* operator.tenants.create({ payload: { slug: "newcomer", name: "Newcomer", kind: "SANDBOX" } })
        yield* Effect.promise(() => page.getByRole("link", { name: "newcomer" }).waitFor())
      }).pipe(Effect.scoped)
    )

    it.effect("forgets an action that was not sent when the page is loaded again in the middle of it", () =>
      Effect.gen(function* () {
        const { operator, signedIn } = yield* Console
        const { page } = yield* signedIn()
        yield* Effect.promise(async () => {
          await goTo(page, "/tenants", "Tenants")
          await page.getByRole("button", { name: "New tenant" }).click()
          await page.getByLabel("Short name").fill("half-made")
          await page.reload()
          await settled(page, "Tenants")
          assert.strictEqual(await page.getByRole("dialog").count(), 0)
        })
        const { tenants } = yield* operator.tenants.list()
        assert.notInclude(
          tenants.map(({ slug }) => slug),
          "half-made"
        )
      }).pipe(Effect.scoped)
    )

    it.effect("asks who somebody is as soon as the session ends elsewhere", () =>
      Effect.gen(function* () {
        const { operator, signedIn } = yield* Console
        const { page } = yield* signedIn()
        yield* Effect.promise(() => page.getByText("Live", { exact: true }).waitFor())
        yield* operator.session.end()
        yield* Effect.promise(() => page.getByLabel("Your operator token").waitFor())
      }).pipe(Effect.scoped)
    )

    it.effect("says of what it could not read that it could not, and not that there is nothing", () =>
      Effect.gen(function* () {
        const { signedIn } = yield* Console
        const { page } = yield* signedIn()
        yield* Effect.promise(async () => {
          await page.route(/\/operator\/v1\/(?:tenants|operations)(?:\?|$)/u, (route) => route.fulfill({ status: 503 }))
          for (const [path, heading] of [
            ["/approvals", "Approvals"],
            ["/wallets", "Wallets"],
            ["/deposits", "Deposits"],
            ["/customers", "Customers"],
            ["/", "What needs you now"]
          ] as const) {
            await goTo(page, path, heading)
            await page.getByRole("alert").first().waitFor()
            const said = await page.locator("main").innerText()
            assert.notMatch(said, /No grant waits|No tenant has a wallet|There is no (?:tenant|operation) yet/u, path)
          }
        })
      }).pipe(Effect.scoped)
    )

    it.effect("says that the service is away, and goes on by itself once it is there again", () =>
      Effect.gen(function* () {
        const { signedIn, startAgain, stop } = yield* Console
        const { page } = yield* signedIn()
        yield* Effect.promise(() => page.getByText("Live", { exact: true }).waitFor())
        yield* stop
        yield* Effect.promise(() => page.getByText("No live updates").waitFor())
        yield* startAgain
        yield* Effect.promise(() => page.getByText("Live", { exact: true }).waitFor({ timeout: 60_000 }))
        yield* Effect.promise(() => page.goto(`${consoleOrigin}/operations`))
        yield* Effect.promise(() => settled(page, "Operations"))
      }).pipe(Effect.scoped)
    )

    const pictures = process.env["CONSOLE_PICTURES"]

    it.effect.skipIf(pictures === undefined)("takes the pictures of the manual", () =>
      Effect.gen(function* () {
        const { busy, signedIn } = yield* Console
        for (const [name, options] of [
          ["light", { viewport: { width: 1200, height: 760 }, colorScheme: "light" }],
          ["dark", { viewport: { width: 1200, height: 760 }, colorScheme: "dark" }],
          ["narrow", { viewport: { width: 360, height: 740 }, colorScheme: "light" }]
        ] as const) {
          const { page } = yield* signedIn(options)
          const take = (screen: string) => page.screenshot({ path: `${pictures}/${screen}-${name}.png` })
          yield* Effect.promise(async () => {
            await page.getByText("Live", { exact: true }).waitFor()
            await settled(page, "What needs you now")
            await page.evaluate("scrollTo(0, 0)")
            await take("home")
            await page.locator("main > *").last().scrollIntoViewIfNeeded()
            await page.locator("figure canvas").first().waitFor()
            await settled(page, "What needs you now")
            await page
              .getByRole("heading", { name: "Over time" })
              .evaluate((element) => element.closest(".head")?.scrollIntoView())
            await take("plots")
            await goTo(page, `/operations?tenant_id=${busy.id}&kind=WITHDRAWAL`, "Operations")
            await take("operations")
          })
        }
      }).pipe(Effect.scoped)
    )
  })
} else {
  layer(Layer.empty)("the console, live and full", (it) => {
    it.effect.skip(consoleSkipped ?? "", () => Effect.void)
  })
}
