import { createHash } from "node:crypto"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { defaultPolicy } from "@bursar/core/tenant/Tenant"
import { testApprover, testRoot } from "@bursar/testkit/fixtures/grants"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { writeOperator } from "../src/config/operators.ts"
import {
  addAuthenticator,
  consoleOrigin,
  consoleSkipped,
  faultsOf,
  goTo,
  openBrowser
} from "./support/consoleBrowser.ts"
import { operatorOn } from "./support/tenant.ts"
import { environmentOf, migratedDatabase, serve } from "./support/world.ts"

const people = ["ann", "bob"] as const
const tokenOf = (name: string) => `${name}-${"0123456789abcdef".repeat(2)}`

/** Two operators at the console, each with a device, and an approver with a key file who grants them their passkeys. */
const openApprovals = Effect.gen(function* () {
  const { url } = yield* migratedDatabase
  const keeper = yield* testApprover("keeper", 1)
  const root = { ...testRoot([keeper], 1), relying_party: { rp_id: "localhost", origins: [consoleOrigin] } }
  const { OPERATOR_TOKEN: _, ...common } = environmentOf(url)
  const operators = people.map((name) =>
    writeOperator({ name, role: "admin", tokenHash: createHash("sha256").update(tokenOf(name)).digest("hex") })
  )
  const viewer = {
    name: "vic",
    role: "viewer",
    tokenHash: createHash("sha256").update(tokenOf("vic")).digest("hex")
  } as const
  operators.push(writeOperator(viewer))
  const server = yield* serve({ ...common, OPERATORS: operators.join(","), GRANT_ROOT: JSON.stringify(root) })
  const operator = yield* operatorOn(server.operatorUrl, tokenOf("ann"))
  const { signedIn } = yield* openBrowser(server.operatorUrl)
  const tenant = yield* operator.tenants.create({ payload: { slug: "acme", name: "Acme", kind: "SANDBOX" } })
  const atConsole = Effect.fnUntraced(function* (name: (typeof people)[number]) {
    const { complaints, page } = yield* signedIn(tokenOf(name))
    const device = yield* Effect.promise(() => addAuthenticator(page))
    yield* Effect.promise(() => goTo(page, "/approvals", "Approvals"))
    return { complaints, device, page }
  })
  /** Makes a passkey at the console and gives the public value that it shows. */
  const makePasskey = async (page: Page) => {
    await page.getByRole("button", { name: "Make a passkey" }).click()
    const dialog = page.getByRole("dialog", { name: "Make a passkey" })
    await dialog.getByRole("button", { name: "Make a passkey" }).click()
    const value = dialog.getByRole("button", { name: /credential_id/u })
    const title = await value.getAttribute("title")
    await dialog.getByRole("button", { name: "Close" }).click()
    return JSON.parse(title?.slice("Copy ".length) ?? "")
  }
  const [ann, bob] = [yield* atConsole("ann"), yield* atConsole("bob")]
  const keys = yield* Effect.promise(async () => [await makePasskey(ann.page), await makePasskey(bob.page)])
  // nobody is an approver by having made a passkey: the approvers there are grant it
  const fleet = { chain: "fleet" } as const
  const set = yield* operator.grants.propose({
    params: fleet,
    payload: {
      kind: "approvers",
      values: {
        approvers: [
          keeper.approver,
          ...people.map((id, index) => ({ id, name: `Approver ${id}`, keys: [keys[index]] }))
        ],
        quorum: "2",
        quorums: {}
      }
    }
  })
  const agreed = yield* operator.grants.approve({
    params: { ...fleet, proposal_id: set.id },
    payload: { approval: yield* keeper.sign(set.hash) }
  })
  assert.strictEqual(agreed.state, "GRANTED")
  const params = { chain: tenant.id }
  const propose = (seedId: string) => {
    const values = { family: "evm", seed_id: seedId, account_key: `xpub-of-${seedId}`, state: "ACTIVE" }
    return operator.grants.propose({ params, payload: { kind: "issuing_account", values } })
  }
  const proposal = (id: string) => operator.grants.show({ params: { ...params, proposal_id: id } })
  const vic = yield* signedIn(tokenOf("vic"))
  return { ann, bob, vic, keeper, operator, operatorUrl: server.operatorUrl, params, propose, proposal }
})

class Approvals extends Context.Service<Approvals, Effect.Success<typeof openApprovals>>()("test/Approvals") {
  static readonly layer = Layer.effect(Approvals, openApprovals)
}

/** Opens what a proposal's approval would do, on the screen of approvals. */
const openApproval = async (page: Page) => {
  await page.getByRole("region", { name: "Grants of acme" }).getByRole("button", { name: "Approve" }).click()
  return page.getByRole("dialog", { name: "Approve" })
}

/** The same, on the page of whoever approves. */
const startApproving = async (page: Page) => {
  await goTo(page, "/approvals", "Approvals")
  return openApproval(page)
}

/** Has the device of a page confirm once `touch` is called, as a browser would end it once it is told to, and tell whether it was. */
const lateDevice = `
  const get = navigator.credentials.get.bind(navigator.credentials)
  navigator.credentials.get = async (options) => {
    await new Promise((touched) => { globalThis.touch = touched })
    globalThis.isCancelled = options.signal.aborted
    options.signal.throwIfAborted()
    return get(options)
  }`

/** Asks for an approval on the screen of approvals, by a late device. */
const approveLate = async (page: Page) => {
  await page.evaluate(lateDevice)
  const dialog = await openApproval(page)
  await dialog.getByRole("button", { name: "Approve" }).click()
  return dialog
}

/** Signs somebody in at a page of a browser, in place of whoever is, and tells its other windows. */
const signInAt = (page: Page, token: string) =>
  page.evaluate(
    `fetch("/operator/v1/sign-in", {
      method: "POST",
      headers: { "content-type": "application/json", "x-bursar-console": "1" },
      body: JSON.stringify({ token: "${token}" })
    }).then(() => new BroadcastChannel("bursar.session").postMessage(null))`
  )

const approve = async (page: Page) => {
  const dialog = await startApproving(page)
  await dialog.getByRole("button", { name: "Approve" }).click()
  return dialog
}

if (consoleSkipped === undefined) {
  layer(Approvals.layer, { excludeTestServices: true, timeout: 120_000 })("approving with a passkey", (it) => {
    it.effect("shows each value before and after, and holds once two people have signed on their own devices", () =>
      Effect.gen(function* () {
        const { ann, bob, params, propose, proposal } = yield* Approvals
        const { hash, id, kind, subject } = yield* propose("first-seed")
        yield* Effect.promise(async () => {
          const dialog = await startApproving(ann.page)
          await dialog.getByText(`It is about acme (tenant ${params.chain}).`).waitFor()
          // what it is of is told where it is signed, since a grant lists only the values that it changes
          for (const text of [`${kind}: ${subject}`, hash]) await dialog.getByText(text, { exact: true }).waitFor()
          const row = dialog.getByRole("row", { name: /seed_id/u })
          assert.include(await row.innerText(), "first-seed")
          assert.deepStrictEqual(await faultsOf(ann.page), [])
          await dialog.getByRole("button", { name: "Approve" }).click()
          await ann.page.getByText("1 of 2 approvals").waitFor()
        })
        assert.deepInclude(yield* proposal(id), { state: "OPEN" })
        yield* Effect.promise(async () => {
          const dialog = await approve(bob.page)
          await dialog.waitFor({ state: "hidden" })
        })
        const granted = yield* proposal(id)
        assert.strictEqual(granted.state, "GRANTED")
        assert.deepStrictEqual(
          granted.approvals.map(({ person }) => person),
          [...people]
        )
        assert.deepStrictEqual([ann.complaints, bob.complaints], [[], []])
      })
    )

    it.effect("tells whoever has approved already, and whoever comes too late, and changes nothing", () =>
      Effect.gen(function* () {
        const { ann, bob, keeper, operator, params, propose, proposal } = yield* Approvals
        const { hash, id } = yield* propose("second-seed")
        yield* Effect.promise(async () => {
          await (await approve(ann.page)).waitFor({ state: "hidden" })
          const again = await approve(ann.page)
          await again.getByRole("alert").getByText("approved already").waitFor()
          await again.getByRole("button", { name: "Cancel" }).click()
        })
        assert.lengthOf((yield* proposal(id)).approvals, 1)
        const late = yield* Effect.promise(() => startApproving(bob.page))
        const approval = yield* keeper.sign(hash)
        // the page learns nothing before it is used: it would take the dialog away
        const { promise: used, resolve: isUsed } = Promise.withResolvers<void>()
        yield* Effect.promise(() =>
          bob.page.route("**/operator/v1/grants/**", async (route) => {
            if (route.request().method() === "GET") await used
            await route.continue()
          })
        )
        yield* operator.grants.approve({ params: { ...params, proposal_id: id }, payload: { approval } })
        yield* Effect.promise(async () => {
          await late.getByRole("button", { name: "Approve" }).click()
          isUsed()
          await bob.page.getByText("No grant waits for an approval.").waitFor()
          await bob.page.getByRole("alert").getByText("already decided").waitFor()
        })
        assert.deepStrictEqual(
          (yield* proposal(id)).approvals.map(({ person }) => person),
          ["ann", "keeper"]
        )
      })
    )

    it.effect("sends no approval that was cancelled before the device had confirmed it", () =>
      Effect.gen(function* () {
        const { ann, operator, params, propose, proposal } = yield* Approvals
        const { id } = yield* propose("cancelled-seed")
        yield* Effect.promise(async () => {
          const dialog = await approveLate(ann.page)
          await dialog.getByRole("button", { name: "Working …" }).waitFor()
          await ann.page.waitForFunction("globalThis.touch !== undefined")
          await dialog.getByRole("button", { name: "Cancel" }).click()
          await dialog.waitFor({ state: "hidden" })
          // she touches the device later, for something else
          await ann.page.evaluate("globalThis.touch()")
          await ann.page.waitForFunction("globalThis.isCancelled !== undefined")
          assert.isTrue(await ann.page.evaluate("globalThis.isCancelled"))
        })
        assert.lengthOf((yield* proposal(id)).approvals, 0)
        yield* operator.grants.reject({ params: { ...params, proposal_id: id }, payload: { reason: "Tried." } })
        yield* Effect.promise(() => ann.page.reload())
      })
    )

    it.effect("sends no approval under another name, where somebody else signs in while the device is waited for", () =>
      Effect.gen(function* () {
        const { ann, operator, params, propose, proposal } = yield* Approvals
        const { id } = yield* propose("taken-seed")
        yield* Effect.promise(async () => {
          await goTo(ann.page, "/approvals", "Approvals")
          const dialog = await approveLate(ann.page)
          await ann.page.waitForFunction("globalThis.touch !== undefined")
          const other = await ann.page.context().newPage()
          await other.goto(consoleOrigin)
          await signInAt(other, tokenOf("bob"))
          await ann.page.bringToFront()
          await ann.page.locator(".who", { hasText: "bob" }).waitFor()
          await dialog.waitFor({ state: "hidden" })
          await ann.page.evaluate("globalThis.touch()")
          await ann.page.waitForFunction("globalThis.isCancelled !== undefined")
          assert.isTrue(await ann.page.evaluate("globalThis.isCancelled"))
          // what it would ask for goes before what the page asks for next
          const read = ann.page.waitForResponse(/\/operator\/v1\/networks/u)
          await ann.page.getByRole("link", { name: "Networks", exact: true }).click()
          await read
          await signInAt(other, tokenOf("ann"))
          await other.close()
          await ann.page.reload()
        })
        assert.lengthOf((yield* proposal(id)).approvals, 0)
        yield* operator.grants.reject({ params: { ...params, proposal_id: id }, payload: { reason: "Tried." } })
      })
    )

    it.effect("says of an approval that it has been asked once it is on its way: it cannot be cancelled any more", () =>
      Effect.gen(function* () {
        const { ann, operator, params, propose, proposal } = yield* Approvals
        const { id } = yield* propose("asked-seed")
        const { promise: go, resolve: letGo } = Promise.withResolvers<void>()
        yield* Effect.promise(async () => {
          await ann.page.route("**/approve", async (route) => {
            await go
            await route.continue()
          })
          const dialog = await approve(ann.page)
          await dialog.getByText("It has been asked").waitFor()
          assert.strictEqual(await dialog.getByRole("button", { name: "Cancel" }).count(), 0)
          const answered = ann.page.waitForResponse("**/approve")
          await dialog.getByRole("button", { name: "Close" }).click()
          letGo()
          await answered
          await ann.page.unroute("**/approve")
        })
        assert.lengthOf((yield* proposal(id)).approvals, 1)
        yield* operator.grants.reject({ params: { ...params, proposal_id: id }, payload: { reason: "Not needed." } })
      })
    )

    it.effect("signs no document whose hash the service names otherwise", () =>
      Effect.gen(function* () {
        const { ann, operatorUrl, propose, proposal } = yield* Approvals
        const { hash, id, kind, subject } = yield* propose("third-seed")
        yield* Effect.promise(async () => {
          await ann.page.route("**/proposals", async (route) => {
            const answer = await route.fetch({ url: route.request().url().replace(consoleOrigin, operatorUrl) })
            await route.fulfill({ response: answer, body: (await answer.text()).replace(hash, "ab".repeat(32)) })
          })
          const dialog = await approve(ann.page)
          await dialog.getByRole("alert").getByText("hash_differs").waitFor()
          await ann.page.unroute("**/proposals")
        })
        assert.lengthOf((yield* proposal(id)).approvals, 0)
        yield* Effect.promise(async () => {
          await goTo(ann.page, "/approvals", "Approvals")
          const grants = ann.page.getByRole("region", { name: "Grants of acme" })
          await grants.getByRole("button", { name: "Reject" }).click()
          const dialog = ann.page.getByRole("dialog", { name: "Reject" })
          await dialog.getByText(`${kind}: ${subject}`, { exact: true }).waitFor()
          await dialog.getByLabel("Reason").fill("Tried.")
          await dialog.getByRole("button", { name: "Reject" }).click()
          await ann.page.getByText("No grant waits for an approval.").waitFor()
        })
        assert.deepInclude(yield* proposal(id), { state: "REJECTED" })
      })
    )

    it.effect(
      "tells before an action who may do it, who else it takes, and what is written down, and proposes the grant",
      () =>
        Effect.gen(function* () {
          const { ann, operator, vic } = yield* Approvals
          const tenant = yield* operator.tenants.create({ payload: { slug: "beta", name: "Beta", kind: "SANDBOX" } })
          const params = { tenant_id: tenant.id }
          yield* operator.tenants.activate({ params, payload: {} })
          yield* operator.tenants.suspend({ params, payload: {} })
          // suspending has left a proposal that says so; only one of a subject is open
          const { proposals } = yield* operator.grants.list({ params: { chain: tenant.id } })
          for (const { id: proposal_id } of proposals)
            yield* operator.grants.reject({
              params: { chain: tenant.id, proposal_id },
              payload: { reason: "A mistake." }
            })
          const opened = async (page: Page) => {
            await goTo(page, `/tenants/${tenant.id}`, "Beta")
            await page.getByRole("button", { name: "Activate", exact: true }).click()
            return page.getByRole("dialog", { name: "Activate", exact: true })
          }
          const entry = "POST /operator/v1/tenants/:tenant_id/activate"
          yield* Effect.promise(async () => {
            const dialog = await opened(ann.page)
            for (const term of ["admin (you are admin)", "2 of 3 approvers sign a grant (suspension)", entry])
              await dialog.getByText(term).waitFor()
            assert.deepStrictEqual(await faultsOf(ann.page), [])
            await dialog.getByLabel("Reason").fill("The drill is over.")
            await dialog.getByRole("button", { name: "Activate" }).click()
            await dialog.getByRole("button", { name: "Propose a grant" }).click()
            await dialog.getByText("It is proposed").waitFor()
          })
          const { entries } = yield* operator.audit.list({ query: {} })
          assert.include(
            entries.map(({ method, operator: by, route, status }) => `${by} ${method} ${route} ${status}`),
            `ann ${entry} 409`
          )
          // the grant says why, too
          const proposed = yield* operator.grants.list({ params: { chain: tenant.id } })
          assert.include(proposed.proposals[0]?.document, "The drill is over.")
          yield* Effect.promise(async () => {
            const dialog = await opened(vic.page)
            await dialog.getByText("admin: you are viewer, and it will be refused").waitFor()
            await dialog.getByLabel("Reason").fill("No matter.")
            await dialog.getByRole("button", { name: "Activate" }).click()
            await dialog.getByRole("alert").waitFor()
          })
          assert.strictEqual((yield* operator.tenants.get({ params })).status, "SUSPENDED")
        })
    )

    it.effect("shows what becomes of what holds where an operator has lowered a limit without a grant", () =>
      Effect.gen(function* () {
        const { ann, keeper, operator } = yield* Approvals
        const tenant = yield* operator.tenants.create({ payload: { slug: "gamma", name: "Gamma", kind: "SANDBOX" } })
        const params = { chain: tenant.id }
        const propose = (payoutLimitUsd: string) => {
          const values = policyValues({ kind: "SANDBOX", policy: { ...defaultPolicy, payoutLimitUsd } })
          return operator.grants.propose({ params, payload: { kind: "policy", values } })
        }
        const first = yield* propose("100")
        yield* operator.grants.approve({
          params: { ...params, proposal_id: first.id },
          payload: { approval: yield* keeper.sign(first.hash) }
        })
        const grants = ann.page.getByRole("region", { name: "Grants of gamma" })
        yield* Effect.promise(async () => {
          await goTo(ann.page, "/approvals", "Approvals")
          await grants.getByRole("button", { name: "Approve" }).click()
          const dialog = ann.page.getByRole("dialog", { name: "Approve" })
          await dialog.getByRole("button", { name: "Approve" }).click()
          await dialog.waitFor({ state: "hidden" })
        })
        yield* operator.tenants.changeSettings({
          params: { tenant_id: tenant.id },
          payload: { payout_limit_usd: "10" }
        })
        // lowering has left a proposal that says so; only one of a subject is open
        const { proposals } = yield* operator.grants.list({ params })
        for (const { id, state } of proposals)
          if (state === "OPEN")
            yield* operator.grants.reject({
              params: { ...params, proposal_id: id },
              payload: { reason: "Not so low." }
            })
        yield* propose("120")
        yield* Effect.promise(async () => {
          await goTo(ann.page, "/approvals", "Approvals")
          const row = (region: string) =>
            grants
              .getByRole("region", { name: region })
              .getByRole("row", { name: /payout_limit_usd/u })
              .innerText()
          assert.match(await row("Changes"), /100\s+120/u)
          assert.match(await row("What holds"), /\b10\s+120/u)
          assert.deepStrictEqual(await faultsOf(ann.page), [])
        })
      })
    )

    it.effect("tells whoever has lost the passkey, and whose session is over, that nothing changed", () =>
      Effect.gen(function* () {
        const { ann, bob, operator, propose, proposal } = yield* Approvals
        const { id } = yield* propose("fourth-seed")
        yield* Effect.promise(async () => {
          await bob.device.lose()
          const dialog = await approve(bob.page)
          await dialog.getByRole("alert").getByText("Nothing was changed").waitFor()
        })
        const dialog = yield* Effect.promise(() => startApproving(ann.page))
        yield* operator.session.end()
        yield* Effect.promise(async () => {
          await dialog.getByRole("button", { name: "Approve" }).click()
          await ann.page.getByText("You are signed out").waitFor()
        })
        assert.deepInclude(yield* proposal(id), { state: "OPEN", approvals: [] })
      })
    )

    it.effect("names the grants that an adoption confirms, with whose key that approved them is gone", () =>
      Effect.gen(function* () {
        const { keeper, operator, params, vic } = yield* Approvals
        const fleet = { chain: "fleet" } as const
        const { entries } = yield* operator.grants.entries({ params: fleet, query: {} })
        const { values } = JSON.parse(entries[0]?.document ?? "")
        const approvers = values.approvers.filter(({ id }: { readonly id: string }) => id !== "keeper")
        const removal = yield* operator.grants.propose({
          params: fleet,
          payload: { kind: "approvers", values: { ...values, approvers } }
        })
        yield* operator.grants.approve({
          params: { ...fleet, proposal_id: removal.id },
          payload: { approval: yield* keeper.sign(removal.hash) }
        })
        yield* operator.grants.propose({ params, payload: { kind: "adoption", values: {} } })
        yield* Effect.promise(async () => {
          await goTo(vic.page, "/approvals", "Approvals")
          const confirms = vic.page.getByRole("region", { name: "Confirms" })
          const row = confirms.getByRole("row", { name: /second-seed/u })
          assert.match(await row.innerText(), /issuing_account.*keeper \(removed\).*account_key: xpub-of-second-seed/su)
          assert.strictEqual(await vic.page.getByText("It changes nothing.").count(), 0)
          assert.deepStrictEqual(await faultsOf(vic.page), [])
        })
      })
    )
  })
} else {
  layer(Layer.empty)("approving with a passkey", (it) => {
    it.effect.skip(consoleSkipped ?? "", () => Effect.void)
  })
}
