import { OperatorApi } from "@bursar/api/OperatorApi"
import { operationsOf } from "@bursar/api/openapi/Operation"
import { EvmDevnet } from "@bursar/simulator-evm"
import { Effect, Layer, Ref, Result, Schedule } from "effect"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Locator, Page } from "playwright-core"
import { bindNetworks } from "../../src/assemble/bindNetworks.ts"
import { runServer } from "../../src/assemble/server.ts"
import { layerReconciler, layerWork } from "../../src/assemble/worker.ts"
import { writeOperator } from "../../src/config/operators.ts"
import { readServeSettings, readWorkSettings } from "../../src/config/Settings.ts"
import { openBrowser } from "./consoleBrowser.ts"
import { environmentFor } from "./environmentFor.ts"
import { hurry } from "./hurry.ts"
import { receiver } from "./receiver.ts"
import { operatorOn } from "./tenant.ts"
import { environmentOf, migratedDatabase, signerOf } from "./world.ts"

/** The operators of a day's work. */
export const people = ["ann", "bob"] as const

const tokenOf = (name: string) => `${name}-${"0123456789abcdef".repeat(2)}`

/** How often the books are compared with the network. */
const often = { everyMs: 500, pollMs: 200, atLeastMs: 200, secondLookMs: 200 }

/** A database, a network of this machine, and the settings of a service on them that two operators run. */
export const openGround = Effect.gen(function* () {
  const [database, devnet] = yield* Effect.all(
    [migratedDatabase, EvmDevnet.make({ network: "ethereum", slotsInEpoch: 1 })],
    { concurrency: 2 }
  )
  const { OPERATOR_TOKEN: _, ...common } = environmentOf(database.url, { ethereum: devnet.rpcUrl })
  const operators = people.map((name) =>
    writeOperator({ name, role: "admin", tokenHash: createHash("sha256").update(tokenOf(name)).digest("hex") })
  )
  const env = { ...common, OPERATORS: operators.join(",") }
  const working = Result.getOrThrow(readWorkSettings(environmentFor("work", env)))
  const settings = {
    ...Result.getOrThrow(readServeSettings(environmentFor("serve", env))),
    ...working,
    reconciliation: { ...working.reconciliation, ...often }
  }
  yield* signerOf(env)
  return { databaseUrl: database.url, devnet, settings }
})

/** The endpoints that the console's actions name, such as `keys.seal`. */
export const actionsOfConsole = (): ReadonlySet<string> => {
  const folder = fileURLToPath(new URL("../../../console/src", import.meta.url))
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".tsx"))
  const texts = files.map((name) => readFileSync(`${folder}/${name}`, "utf8"))
  return new Set(texts.flatMap((text) => [...text.matchAll(/does="([^"]+)"/gu)].map(([, name = ""]) => name)))
}

/** The endpoints of the operator interface, by a method and the path of a URL. */
const endpoints = operationsOf(OperatorApi).map(({ endpoint, group, method, path }) => ({
  name: `${group}.${endpoint}`,
  method,
  path: new RegExp(`^${path.replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u")
}))

/** Collects the endpoints by which a page has done something. */
export const watchActions = (page: Page, done: Set<string>) =>
  page.on("response", (response) => {
    if (!response.ok()) return
    const { pathname } = new URL(response.url())
    const found = endpoints.find(({ method, path }) => method === response.request().method() && path.test(pathname))
    if (found !== undefined) done.add(found.name)
  })

/** The service, with all that works, and its operators at the console. */
export const openDay = Effect.fnUntraced(function* ({ devnet, settings }: Effect.Success<typeof openGround>) {
  const { faucet } = devnet
  yield* bindNetworks(settings)
  const { operator: operatorPort, partner: partnerPort } = yield* runServer(settings)
  yield* Layer.build(Layer.merge(layerWork(settings, hurry), layerReconciler(settings)))
  const mining = yield* Ref.make(true)
  const tick = Effect.flatMap(Ref.get(mining), (on) => (on ? faucet.mine(1) : Effect.void))
  yield* Effect.forkScoped(Effect.repeat(Effect.ignore(tick), Schedule.spaced("300 millis")))
  const operator = yield* operatorOn(operatorPort.url, tokenOf("ann"))
  const other = yield* operatorOn(operatorPort.url, tokenOf("bob"))
  const { signedIn } = yield* openBrowser(operatorPort.url)
  const done = new Set<string>()
  const atConsole = Effect.fnUntraced(function* (name: (typeof people)[number]) {
    const one = yield* signedIn(tokenOf(name))
    watchActions(one.page, done)
    return one
  })
  const [ann, bob] = [yield* atConsole("ann"), yield* atConsole("bob")]
  /** Lets blocks come, or stops them: what is sent waits then. */
  const mine = (on: boolean) => Effect.andThen(Ref.set(mining, on), faucet.setAutomine(on))
  const secrets: Array<string> = []
  /** The tenant's receiver of webhooks, which knows these secrets alone. */
  const hooks = { ...(yield* receiver(secrets)), secrets }
  return {
    ann,
    bob,
    done,
    hooks,
    faucet,
    mine,
    operator,
    other,
    operatorUrl: operatorPort.url,
    partnerUrl: partnerPort.url
  }
})

/** What is written into the fields of an action by their names: a text, or what is chosen. */
type Answers = Readonly<Record<string, string>>

/** Does an action as a person does: opens it, answers what it asks, and confirms. Gives its dialog. */
export const act = async (where: Locator | Page, name: string, answers: Answers = {}): Promise<Locator> => {
  const page = "page" in where ? where.page() : where
  await where.getByRole("button", { name, exact: true }).first().click()
  const dialog = page.getByRole("dialog", { name, exact: true })
  for (const [asked, value] of Object.entries(answers)) {
    const field = dialog.locator(`[name="${asked}"]`)
    const isChoice = (await field.and(dialog.locator("select")).count()) === 1
    await (isChoice ? field.selectOption(value) : field.fill(value))
  }
  await dialog.getByRole("button", { name, exact: true }).click()
  return dialog
}

/** Does an action that says nothing when it is done. */
export const actDone = async (where: Locator | Page, name: string, answers: Answers = {}) =>
  (await act(where, name, answers)).waitFor({ state: "hidden" })

/** Does an action that says something when it is done, and closes it. */
export const actTold = async (where: Locator | Page, name: string, told: RegExp | string, answers: Answers = {}) => {
  const dialog = await act(where, name, answers)
  await dialog.getByText(told).first().waitFor()
  await dialog.getByRole("button", { name: "Close" }).click()
  await dialog.waitFor({ state: "hidden" })
}
