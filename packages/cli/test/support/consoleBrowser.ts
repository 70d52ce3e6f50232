import axe from "axe-core"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { fileURLToPath } from "node:url"

/** The shell without windows comes first: it takes two thirds of the processor time of the whole browser. */
const programs = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
const program = programs.map((name) => `/usr/bin/${name}`).find(existsSync)
const chromiumPath = process.env["CHROMIUM"] ?? program

/** The console's built files. */
export const consoleApp = fileURLToPath(new URL("../../../console/dist/app", import.meta.url))

const whyNot = (): string | undefined => {
  if (chromiumPath === undefined) return "needs chromium: install it, or name it in CHROMIUM"
  return existsSync(`${consoleApp}/index.html`) ? undefined : "needs the console's files: npm run build"
}

/** Why the console is not tried, or undefined. */
export const consoleSkipped = whyNot()

/** A text that would run if a page took it for markup. */
export const canary = `<img src=x onerror="globalThis.robbed=1"><script>globalThis.robbed=1</script>`

/** The one origin by which a test's browser knows the service, whatever its port: passkeys are bound to it. */
export const consoleOrigin = "http://localhost:4801"

/** A browser that finds the service of a URL at `consoleOrigin`; each page is of a person of its own. */
export const openBrowser = Effect.fnUntraced(function* (operatorUrl: string) {
  const args = ["--no-sandbox", `--host-resolver-rules=MAP localhost:4801 ${new URL(operatorUrl).host}`]
  const browser = yield* Effect.acquireRelease(
    Effect.promise(() =>
      chromium.launch({ ...(chromiumPath !== undefined && { executablePath: chromiumPath }), args })
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
  /** A page on which somebody has signed in with a token. */
  const signedIn = (token: string, options: BrowserContextOptions = {}) =>
    Effect.gen(function* () {
      const one = yield* open(options)
      yield* Effect.promise(async () => {
        await one.page.goto(consoleOrigin)
        await one.page.getByLabel("Your operator token").fill(token)
        await one.page.getByRole("button", { name: "Sign in" }).click()
        await one.page.getByRole("heading", { name: "What needs you now" }).waitFor()
      })
      return one
    })
  return { open, signedIn }
})

/** What axe looks for: all of WCAG A and AA, and what of it depends on colors alone. */
const everything = ["wcag2a", "wcag2aa", "wcag21aa"]
const colors = ["color-contrast", "link-in-text-block"]

/** What axe finds wrong with a page by WCAG A and AA, or by some of its rules. */
export const faultsOf = async (
  page: Page,
  rules: ReadonlyArray<string> = everything
): Promise<ReadonlyArray<string>> => {
  // the policy of the page runs no text as a script, so the checker comes from outside of it
  const session = await page.context().newCDPSession(page)
  await session.send("Runtime.evaluate", { expression: `globalThis.axe ?? (() => { ${axe.source} })()` })
  const { result } = await session.send("Runtime.evaluate", {
    expression: `axe.run({ runOnly: ${JSON.stringify(rules)}, resultTypes: ["violations"] }).then(({ violations }) =>
      JSON.stringify(violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" "))))`,
    awaitPromise: true
  })
  return JSON.parse(result.value)
}

const phone = { width: 360, height: 740 }
const desk = { width: 1280, height: 800 }

/** How wide a page is: wider than its window where something of it does not fit. */
const widthOf = (page: Page) => page.evaluate<number>("document.documentElement.scrollWidth")

/** Waits until a screen is there with all that it reads. */
export const settled = async (page: Page, heading: string) => {
  await page.getByRole("heading", { name: heading, exact: true, level: 1 }).waitFor()
  await page.locator("main:not(:has-text('Loading …'))").waitFor()
}

/** Goes to a screen and waits until it is there. */
export const goTo = async (page: Page, path: string, heading: string) => {
  await page.goto(`${consoleOrigin}${path}`)
  await settled(page, heading)
}

/** Looks at a screen that is there: it is usable by all in light and dark, and fits a phone. */
export const assertUsable = async (page: Page, name: string) => {
  for (const [colorScheme, rules] of [
    ["light", everything],
    ["dark", colors]
  ] as const) {
    await page.emulateMedia({ colorScheme })
    assert.deepStrictEqual(await faultsOf(page, rules), [], `${colorScheme} ${name}`)
  }
  await page.setViewportSize(phone)
  assert.strictEqual(await widthOf(page), phone.width, name)
}

/** Goes to each screen on a phone, widens it, and looks at it. Nothing that anybody wrote turns letters around, or has run as markup by the end. */
export const assertScreensUsable = async (
  { complaints, page }: { readonly complaints: ReadonlyArray<string>; readonly page: Page },
  screens: ReadonlyArray<readonly [path: string, heading: string]>
) => {
  for (const [path, heading] of screens) {
    await page.setViewportSize(phone)
    await goTo(page, path, heading)
    assert.strictEqual(await widthOf(page), phone.width, path)
    assert.notInclude(await page.locator("main").innerText(), "\u202e", path)
    await page.setViewportSize(desk)
    await assertUsable(page, path)
  }
  assert.isUndefined(await page.evaluate("globalThis.robbed"))
  assert.deepStrictEqual(complaints, [])
}

/** An authenticator of a page, whose owner confirms whatever it asks. */
export const addAuthenticator = async (page: Page) => {
  const session = await page.context().newCDPSession(page)
  await session.send("WebAuthn.enable")
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true
    }
  })
  return {
    /** The device forgets all its passkeys, as one does that was lost. */
    lose: () => session.send("WebAuthn.clearCredentials", { authenticatorId })
  }
}
