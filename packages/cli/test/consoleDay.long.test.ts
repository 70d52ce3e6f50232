import { generateSigningKey } from "@bursar/api/signature/Ed25519"
import { createClient } from "@bursar/client"
import { HeldArrivals } from "@bursar/core/port/HeldArrivals"
import { Quarantine } from "@bursar/core/port/Quarantine"
import { Tenants } from "@bursar/core/port/Tenants"
import { defaultPolicy, TenantId } from "@bursar/core/tenant/Tenant"
import type { Hex } from "@bursar/simulator-evm/Faucet"
import { takeFence } from "@bursar/testkit/fixtures/fences"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Locator, Page, Route } from "playwright-core"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { layerStorage } from "../src/assemble/storage.ts"
import { consoleSkipped, goTo, settled } from "./support/consoleBrowser.ts"
import { act, actDone, actionsOfConsole, actTold, openDay, openGround } from "./support/consoleDay.ts"
import { fiatTenant, writeFiatHistory } from "./support/fiatHistory.ts"
import { dollarPrices } from "./support/hurry.ts"
import { until } from "./support/until.ts"
import { sqlOn } from "./support/world.ts"

const receiver = "0x00000000000000000000000000000000c0ffee00"

/** A tenant that has been there since the summer, whose months can be closed. */
const oldTenant = TenantId("019845e1-682f-7b02-a706-3b2422d13af0")

const dayMs = 86_400_000

/** The months from the one in which a tenant of so many days began, as they are called. */
const monthsSince = (days: number): ReadonlyArray<string> => {
  const months: Array<string> = []
  const now = new Date()
  const month = new Date(Date.now() - days * dayMs)
  month.setUTCDate(1)
  while (month.toISOString().slice(0, 7) < now.toISOString().slice(0, 7)) {
    months.push(month.toISOString().slice(0, 7))
    month.setUTCMonth(month.getUTCMonth() + 1)
  }
  return months
}

/** A day's work, on a database in which a bank has left two transfers unresolved. */
const begin = Effect.fnUntraced(function* (ground: Effect.Success<typeof openGround>) {
  yield* writeFiatHistory(ground.databaseUrl, { unresolved: true })
  yield* (yield* Tenants).create({
    id: oldTenant,
    slug: "old",
    name: "Old",
    kind: "SANDBOX",
    status: "ACTIVE",
    policy: defaultPolicy,
    createdAt: Date.now() - 70 * dayMs
  })
  return { ...(yield* openDay(ground)), sql: yield* sqlOn(ground.databaseUrl) }
})

class Day extends Context.Service<Day, Effect.Success<ReturnType<typeof begin>>>()("test/Day") {
  static readonly layer = Layer.unwrap(
    Effect.map(openGround, (ground) =>
      Layer.effect(Day, begin(ground)).pipe(
        Layer.provideMerge(layerStorage(ground.settings, "console day")),
        Layer.provide(dollarPrices)
      )
    )
  )
}

/** Where the browser does what a day's work leaves out. */
const elsewhere: Readonly<Record<string, string>> = {
  "session.end": "console.long.test.ts",
  "access.endSession": "consoleScreens.long.test.ts",
  "addresses.endScan": "consoleScreens.long.test.ts",
  "customers.endCheck": "consoleScreens.long.test.ts",
  "grants.approve": "consolePasskeys.integration.test.ts",
  "grants.reject": "consolePasskeys.integration.test.ts",
  "reconciliation.importStatement": "consoleScreens.long.test.ts"
}

const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true }).last()

/** Opens an action, sees that its dialog says these before it is confirmed, and leaves it. */
const shownBefore = async (where: Locator, name: string, texts: ReadonlyArray<string>) => {
  await where.getByRole("button", { name, exact: true }).first().click()
  const dialog = where.page().getByRole("dialog", { name, exact: true })
  for (const text of texts) await dialog.getByText(text, { exact: true }).first().waitFor()
  await dialog.getByRole("button", { name: "Cancel" }).click()
}

/** A secret that a dialog shows once. */
const shownOnce = async (page: Page, name: string, answers: Readonly<Record<string, string>>) => {
  const dialog = await act(page, name, answers)
  await dialog.getByText("It is not shown again").waitFor()
  const title = await dialog
    .getByRole("button", { name: /^Copy|_/u })
    .first()
    .getAttribute("title")
  await dialog.getByRole("button", { name: "Close" }).click()
  return title?.slice("Copy ".length) ?? ""
}

/** What the first test leaves for the others. */
interface Tenant {
  readonly id: string
  readonly client: ReturnType<typeof createClient>
  readonly webhookId: string
}

let made: Tenant | undefined

const tenantMade = () => made ?? assert.fail("the tenant of the first test is missing")

if (consoleSkipped === undefined) {
  layer(Day.layer, { excludeTestServices: true, timeout: 240_000 })("a day at the console", (it) => {
    it.effect("takes a new tenant from its creation to its first payout", () =>
      Effect.gen(function* () {
        const { ann, bob, faucet, hooks, operator, partnerUrl } = yield* Day
        const { page } = ann
        const { privateJwk, publicJwk } = yield* generateSigningKey
        const key = yield* Effect.promise(async () => {
          await goTo(page, "/tenants", "Tenants")
          await actDone(page, "New tenant", {
            slug: "acme",
            name: "Acme"
          })
          await page.getByRole("link", { name: "acme" }).click()
          await settled(page, "Acme")
          await actDone(page, "Change access", { ip_allowlist: "any" })
          await actDone(page, "Activate")
          await page.getByText("ACTIVE", { exact: true }).waitFor()
          return await shownOnce(page, "New API key", {
            label: "payouts",
            bundle: "chain_payouts"
          })
        })
        const { tenants } = yield* operator.tenants.list()
        const id = tenants.find(({ slug }) => slug === "acme")?.id ?? ""
        const params = { tenant_id: id }
        const [apiKey] = (yield* operator.keys.list({ params })).keys
        yield* Effect.promise(async () => {
          await actDone(page, "Register a signing key", {
            api_key_id: apiKey?.id ?? "",
            x: publicJwk.x
          })
          await actTold(page, "New wallet", "Fund it here", { network: "ethereum" })
          hooks.secrets.push(await shownOnce(page, "New endpoint", { url: hooks.url }))
          await actTold(page, "Give it test money", "It waits for another operator.", { amount: "20000" })
          await goTo(bob.page, `/tenants/${id}`, "Acme")
          await actDone(region(bob.page, "Adjustments"), "Approve")
          await region(page, "Balances").getByText("20000").first().waitFor()
        })
        const { wallets } = yield* operator.payouts.wallets({ params })
        const address = (wallets[0]?.address ?? "") as Hex
        yield* faucet.sendNative(address, 10n ** 18n)
        yield* faucet.mint(yield* faucet.token("USDT_ETH"), address, 50_000_000_000n)
        const client = createClient({ baseUrl: partnerUrl, apiKey: key, signingKey: privateJwk })
        yield* until(
          "being let in",
          Effect.exit(Effect.promise(() => client.introspection.whoami())),
          ({ _tag }) => _tag === "Success"
        )
        const payout = {
          network: "ethereum",
          amount: { amount: "12.5", currency: "USDT_ETH" },
          destination: { address: receiver },
          reference: "first"
        }
        const taken = yield* until(
          "the payout being taken",
          Effect.exit(Effect.promise(() => client.chainPayouts.create(payout, { idempotencyKey: "first" }))),
          ({ _tag }) => _tag === "Success"
        )
        if (taken._tag !== "Success") return assert.fail("the payout was refused")
        yield* Effect.promise(async () => {
          await page.getByLabel("Search by id, hash, address or reference").fill("first")
          await page.keyboard.press("Enter")
          await page.getByRole("link", { name: "CHAIN_PAYOUT" }).first().click()
          await settled(page, "CHAIN_PAYOUT 12.5 USDT_ETH")
          // the page follows it to its end by itself
          await page.getByText("SETTLED").first().waitFor({ timeout: 60_000 })
          await region(page, "Webhook attempts").getByText("200").first().waitFor()
        })
        assert.strictEqual(yield* faucet.tokenBalance(yield* faucet.token("USDT_ETH"), receiver), 12_500_000n)
        const [webhook] = (yield* operator.webhooks.list({ params })).webhooks
        made = { id, client, webhookId: webhook?.id ?? "" }
        assert.deepStrictEqual(ann.complaints, [])
        return undefined
      })
    )

    it.effect("decides on reviews, and sends again, outbids and cancels what waits for a block", () =>
      Effect.gen(function* () {
        const { ann, bob, mine } = yield* Day
        const { client, id } = tenantMade()
        const { page } = ann
        const pay = (reference: string, amount: string) =>
          Effect.promise(() =>
            client.chainPayouts.create(
              {
                network: "ethereum",
                amount: { amount, currency: "USDT_ETH" },
                destination: { address: receiver },
                reference
              },
              { idempotencyKey: reference }
            )
          )
        const ended = (payoutId: string) =>
          until(
            "the end of the payout",
            Effect.promise(() => client.chainPayouts.get(payoutId)),
            ({ status }) => status === "SETTLED" || status === "FAILED"
          )
        const openOperation = (on: Page, payoutId: string, amount: string) =>
          goTo(on, `/operations/${id}/${payoutId}`, `CHAIN_PAYOUT ${amount} USDT_ETH`)
        yield* Effect.promise(async () => {
          await goTo(page, `/tenants/${id}`, "Acme")
          await actDone(page, "Change payouts", { payout_review_usd: "100" })
        })
        const [good, bad] = [yield* pay("reviewed", "150"), yield* pay("refused", "160")]
        assert.deepStrictEqual([good.status, bad.status], ["IN_REVIEW", "IN_REVIEW"])
        yield* Effect.promise(async () => {
          await openOperation(page, good.id, "150")
          await openOperation(bob.page, bad.id, "160")
          // by keyboard alone: the key opens what it would do, and changes nothing yet
          await page.keyboard.press("a")
          const approving = page.getByRole("dialog", { name: "Approve" })
          await approving.getByText("will leave to").waitFor()
          await approving.getByText(receiver).waitFor()
          await page.keyboard.press("a")
          await approving.getByRole("button", { name: "Approve" }).focus()
          await page.keyboard.press("Enter")
          await approving.waitFor({ state: "hidden" })
          await actDone(bob.page, "Reject", { reason: "Nobody knows the receiver." })
          await bob.page.getByText("FAILED").first().waitFor()
        })
        assert.strictEqual((yield* ended(good.id)).status, "SETTLED")
        yield* mine(false)
        const stuck = yield* pay("stuck", "5")
        yield* Effect.promise(async () => {
          await openOperation(page, stuck.id, "5")
          const transactions = region(page, "Transactions").getByRole("row")
          await actDone(page, "Send again")
          await actDone(page, "Raise the fee")
          await transactions.nth(2).waitFor()
          await actTold(page, "Cancel the operation", "A replacement is on its way.")
          await transactions.nth(3).waitFor()
          await actDone(page, "Add evidence", { note: "Seen at the explorer." })
          await region(page, "Evidence").getByText("Seen at the explorer.").first().waitFor()
        })
        yield* mine(true)
        yield* ended(stuck.id)
        yield* Effect.promise(async () => {
          await page
            .getByText(/^(?:SETTLED|FAILED)$/u)
            .first()
            .waitFor()
          // what the state allows no more is offered no more
          for (const name of ["Send again", "Raise the fee", "Cancel the operation"])
            assert.strictEqual(await page.getByRole("button", { name, exact: true }).count(), 0, name)
        })
        assert.deepStrictEqual([...ann.complaints, ...bob.complaints], [])
      })
    )

    it.effect("tells whoever confirms what others have decided meanwhile, and changes nothing", () =>
      Effect.gen(function* () {
        const { ann, mine, operator, other } = yield* Day
        const { client, id } = tenantMade()
        const { page } = ann
        const params = { tenant_id: id }
        const pay = (reference: string, amount: string) =>
          Effect.promise(() =>
            client.chainPayouts.create(
              {
                network: "ethereum",
                amount: { amount, currency: "USDT_ETH" },
                destination: { address: receiver },
                reference
              },
              { idempotencyKey: reference }
            )
          )
        const held: Array<Route> = []
        let isHeld = false
        // what the page reads waits for as long as it is to know nothing
        yield* Effect.promise(() =>
          page.route("**/operator/v1/**", async (route) => {
            if (isHeld && route.request().method() === "GET") held.push(route)
            else await route.continue()
          })
        )
        /** Opens an action, and confirms it after something else has happened, of which the page does not know. */
        const late = Effect.fnUntraced(function* <A, E>(name: string, meanwhile: Effect.Effect<A, E>) {
          yield* Effect.promise(async () => {
            await page.getByRole("button", { name, exact: true }).first().click()
            isHeld = true
          })
          yield* meanwhile
          yield* Effect.promise(async () => {
            const dialog = page.getByRole("dialog", { name, exact: true })
            const answered = page.waitForResponse((response) => response.request().method() === "POST")
            await dialog.getByRole("button", { name, exact: true }).click()
            assert.strictEqual((await answered).status(), 409)
            isHeld = false
            await Promise.all(held.splice(0).map((route) => route.continue()))
            await page.getByRole("alert").first().waitFor()
          })
        })
        const reviewed = yield* pay("late-review", "150")
        yield* Effect.promise(() => goTo(page, `/operations/${id}/${reviewed.id}`, "CHAIN_PAYOUT 150 USDT_ETH"))
        const reason = "Nobody knows the receiver."
        const path = { ...params, operation_id: reviewed.id }
        yield* late("Approve", other.reviews.reject({ params: path, payload: { reason } }))
        assert.strictEqual((yield* operator.operations.get({ params: path })).status, "FAILED")

        yield* mine(false)
        const stuck = yield* pay("late-bump", "5")
        yield* Effect.promise(async () => {
          await goTo(page, `/operations/${id}/${stuck.id}`, "CHAIN_PAYOUT 5 USDT_ETH")
          await page.getByRole("button", { name: "Raise the fee" }).waitFor()
        })
        const settled = Effect.andThen(
          mine(true),
          until(
            "the end of the payout",
            Effect.promise(() => client.chainPayouts.get(stuck.id)),
            ({ status }) => status === "SETTLED"
          )
        )
        yield* late("Raise the fee", settled)
        const { attempts } = yield* operator.operations.get({ params: { ...params, operation_id: stuck.id } })
        assert.lengthOf(attempts, 1)
        yield* Effect.promise(() => page.unrouteAll({ behavior: "wait" }))
        // the browser says that both were refused
        assert.isTrue(
          ann.complaints.every((text) => /40[49]/u.test(text)),
          ann.complaints.join()
        )
        ann.complaints.length = 0
      })
    )

    it.effect("keeps a tenant: destinations, fees, floats, its endpoint, and its keys at last", () =>
      Effect.gen(function* () {
        const { ann, bob, operator, sql } = yield* Day
        const { id, webhookId } = tenantMade()
        const { page } = ann
        const params = { tenant_id: id }
        yield* Effect.promise(async () => {
          await goTo(page, `/tenants/${id}`, "Acme")
          const other = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"
          await actDone(page, "Propose a destination", { currency: "USDT_ETH", address: other, label: "Treasury" })
          await region(page, "Destinations").getByText("PROPOSED").first().waitFor()
          await goTo(bob.page, `/tenants/${id}`, "Acme")
          await shownBefore(region(bob.page, "Destinations"), "Verify", ["Treasury", other, "none"])
          await actDone(region(bob.page, "Destinations"), "Verify")
          await actDone(page, "Propose a destination", { currency: "ETH", address: other, label: "Wrong" })
          await actDone(region(bob.page, "Destinations"), "Reject", { reason: "It is theirs no more." })
          await region(page, "Destinations").getByText("REJECTED").first().waitFor()
          const rule = { product: "WITHDRAWAL", percent: "1", minimum: "2", priority: "1" }
          await actDone(page, "Add a fee rule", rule)
          const asked = { product: "WITHDRAWAL", currency: "USDT_ETH", amount: "1000" }
          await actTold(page, "Simulate a fee", "by a rule of the tenant", asked)
          await actDone(region(page, "Fee rules"), "Retire")
          await actTold(page, "Simulate a fee", "No rule matches.", asked)
          await actTold(page, "Adjust", "It waits for another operator.", {
            currency: "USDT_ETH",
            amount: "30000",
            against: "suspense",
            reason: "A mistake."
          })
          await shownBefore(region(bob.page, "Adjustments"), "Approve", [
            "The float changes by",
            "suspense",
            "A mistake."
          ])
          await actDone(region(bob.page, "Adjustments"), "Reject", { reason: "It is one." })
          await region(page, "Adjustments").getByText("REJECTED").first().waitFor()
          await actDone(page, "Suspend", { reason: "A drill." })
          await page.getByText("SUSPENDED", { exact: true }).waitFor()
          await actDone(page, "Activate", { reason: "The drill is over." })
          await page.getByText("ACTIVE", { exact: true }).waitFor()
        })
        const events = yield* operator.webhooks.attempts({ params: { ...params, webhook_id: webhookId }, query: {} })
        const event = events.attempts[0]?.event_id ?? 0
        yield* Effect.promise(async () => {
          const url = await page
            .getByRole("link", { name: /^http:\/\/127/u })
            .first()
            .innerText()
          await goTo(page, `/tenants/${id}/webhooks/${webhookId}`, url)
          await actDone(page, "Disable")
          await actTold(page, "Replay", "2 deliveries are queued. Nothing is sent until the endpoint is enabled.", {
            from: `${event - 1}`,
            to: `${event}`
          })
          await page.getByText("2 deliveries wait to be made again.").waitFor()
          await actDone(page, "Enable")
          await page.getByText("wait to be made again.").waitFor({ state: "hidden" })
          await shownOnce(page, "Rotate the secret", {})
          await actDone(page, "Activate the new secret")
          await actTold(page, "Ping", `Event ${event} is on its way`)
          // the partner does not know the new secret yet, and says so
          await region(page, "Attempts").getByText("401").first().waitFor()
          await actTold(page, "Replay", "2 deliveries are queued.", { from: `${event - 1}`, to: `${event}` })
          await actDone(region(page, "Attempts"), "Send again")
        })
        // as a key of a version that knew no seals
        yield* sql`update api_key set seal = null where tenant_id = ${id}`
        yield* Effect.promise(async () => {
          await goTo(page, `/tenants/${id}`, "Acme")
          await actDone(region(page, "API keys"), "Seal")
          await actDone(region(page, "Signing keys"), "Revoke")
          await actDone(region(page, "API keys"), "Revoke")
          await region(page, "API keys").getByText("revoked").first().waitFor()
        })
        const { keys } = yield* operator.keys.list({ params })
        assert.isTrue(keys.every(({ revoked_at: at }) => at !== null))
        const { signing_keys: signing } = yield* operator.signingKeys.list({ params })
        assert.isTrue(signing.every(({ revoked_at: at }) => at !== null))
        assert.deepStrictEqual([...ann.complaints, ...bob.complaints], [])
      })
    )

    it.effect(
      "decides on what the network brought: held arrivals, unread blocks, held addresses, stopped payouts",
      () =>
        Effect.gen(function* () {
          const { ann, bob, operator, partnerUrl } = yield* Day
          const { id } = tenantMade()
          const { page } = ann
          const { key } = yield* operator.keys.create({
            params: { tenant_id: id },
            payload: { label: "deposits", scopes: ["deposits:issue", "deposits:write"] }
          })
          const client = createClient({ baseUrl: partnerUrl, apiKey: key })
          const one = { network: "ethereum", reference: "customer", count: 1 }
          yield* until(
            "an address",
            Effect.exit(Effect.promise(() => client.depositAddresses.issue(one, { idempotencyKey: "one" }))),
            ({ _tag }) => _tag === "Success"
          )
          const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
          // a network that nobody reads here, so that only people decide
          const block = { number: 7, hash: `0x${"b7".repeat(32)}`, time: 0 }
          const unread = { network: "base", block, reason: "of a new kind", gains: null, noticedAt: 0 } as const
          yield* (yield* Quarantine).add(fence, [
            { ...unread, txHash: `0x${"01".repeat(32)}` },
            { ...unread, txHash: `0x${"02".repeat(32)}` }
          ])
          const held = yield* HeldArrivals
          for (const index of [1, 2])
            yield* held.hold(fence, {
              network: "base",
              txHash: `0x${`0${index}`.repeat(32)}`,
              transferIndex: index,
              blockHash: block.hash,
              blockNumber: block.number,
              tenantId: TenantId(id),
              address: receiver,
              currency: "ETH_BASE",
              units: BigInt(index),
              state: "disputed",
              said: [{ node: "node 1 of 2", operator: "one", says: "has it" }],
              since: index
            })
          yield* Effect.promise(async () => {
            const reason = "Looked up at two explorers."
            await goTo(page, "/deposits", "Deposits")
            const [first, second] = [1, 2].map((index) =>
              region(page, "Held arrivals").getByRole("row", { name: `${index} of ETH_BASE` })
            )
            if (first === undefined || second === undefined) return assert.fail("there are two")
            await actDone(first, "Accept", { reason })
            // the same person is not two
            const again = await act(first, "Accept", { reason })
            await again.getByRole("alert").waitFor()
            await again.getByRole("button", { name: "Cancel" }).click()
            await actDone(second, "Refuse", { reason })
            await goTo(bob.page, "/deposits", "Deposits")
            await shownBefore(region(bob.page, "Held arrivals"), "Accept", ["1 of ETH_BASE", receiver, reason])
            await actDone(region(bob.page, "Held arrivals"), "Accept", { reason })
            await bob.page.getByText("Nodes agree about every deposit.").waitFor()
            const quarantine = region(page, "Quarantine")
            await actDone(quarantine, "Pass", { reason })
            await actDone(quarantine, "Pass", { reason })
            await page.getByText("Everything could be read.").waitFor()
            await goTo(page, "/networks", "Networks")
            const ethereum = page.getByRole("row", { name: /ethereum/u }).first()
            await actDone(ethereum, "Stop payouts", { reason: "The node lies." })
            await actDone(ethereum, "Resume payouts")
            await actDone(ethereum, "Read a block again", { block: "1" })
            await goTo(page, "/deposits/addresses?tenant=acme", "Addresses")
            const addresses = region(page, "Deposit addresses")
            await actDone(addresses, "Hold", { reason })
            await actDone(addresses, "Release")
            await actTold(addresses, "Read the past", "It has begun", { block: "1" })
            return undefined
          })
          const { entries } = yield* operator.quarantine.list({ query: {} })
          assert.deepStrictEqual(entries, [])
          // the browser says that the second acceptance of one person was refused
          assert.isTrue(
            ann.complaints.every((text) => text.includes("409")),
            ann.complaints.join()
          )
          ann.complaints.length = 0
        })
    )

    it.effect("resolves what a bank left open, explains a break, closes months and proves solvency", () =>
      Effect.gen(function* () {
        const { ann, bob, operator, sql } = yield* Day
        const { id } = tenantMade()
        const { page } = ann
        const open = yield* operator.operations.list({ query: { tenant_id: fiatTenant, unresolved: true } })
        const [first, second] = open.operations
        if (first === undefined || second === undefined) return assert.fail("two transfers are unresolved")
        const at = (operation: typeof first) =>
          [
            `/operations/${fiatTenant}/${operation.id}`,
            `${operation.kind} ${operation.amount.amount} ${operation.amount.currency}`
          ] as const
        const months = monthsSince(70)
        const stated = {
          provider: "Bank of Examples",
          currency: "EUR",
          amount: "45.5",
          as_of: new Date().toISOString()
        }
        yield* Effect.promise(async () => {
          const said = {
            outcome: "FAILED",
            basis: "PROVIDER",
            reference: "Ticket 4711",
            source: "Support of the bank",
            statement: "It was never made."
          }
          for (const operation of [first, second]) {
            await goTo(page, ...at(operation))
            await actDone(page, "Resolve", said)
            await goTo(bob.page, ...at(operation))
            const resolutions = region(bob.page, "Resolutions")
            if (operation === first) await actDone(resolutions, "Approve")
            else await actDone(resolutions, "Reject", { reason: "The ticket is about another one." })
          }
          await goTo(page, ...at(first))
          await page.getByText("FAILED", { exact: true }).first().waitFor()
        })
        // the bank comes back to what it had never made
        const contradiction = { said: "it says SETTLED", at: Date.now(), moved: true }
        yield* sql`update operation
          set details = jsonb_set(details::jsonb, '{contradiction}', ${JSON.stringify(contradiction)}::text::jsonb)::json
          where operation_id = ${first.id}`
        yield* Effect.promise(async () => {
          await goTo(page, "/", "What needs you now")
          await goTo(page, ...at(first))
          await shownBefore(page.locator("main"), "Close the contradiction", [contradiction.said])
          await actDone(page, "Close the contradiction", { reason: "It was another transfer of the same size." })
          await page.getByRole("button", { name: "Close the contradiction" }).waitFor({ state: "hidden" })
          await page.getByText("It was another transfer of the same size.").first().waitFor()
          // the books say now that the wallet has more than there is
          await goTo(page, `/tenants/${id}`, "Acme")
          await actDone(page, "Adjust", {
            currency: "ETH",
            amount: "1",
            against: "payout_wallet",
            reason: "Nobody sent it."
          })
          await goTo(page, "/reconciliation", "Reconciliation")
          const explained = page.getByRole("region", { name: "chain:ethereum:payouts, ETH" })
          await explained.waitFor({ timeout: 60_000 })
          await actDone(explained, "Explain", { note: "A test." })
          await explained.getByText("A test.").waitFor()
          const places = region(page, "Places")
          await actDone(places, "Stop", { reason: "It is looked at." })
          await actDone(places, "Resume")
          await goTo(page, `/tenants/${oldTenant}`, "Old")
          for (const period of months) await actDone(page, "Close a month", { period })
          const closed = region(page, "Months").getByRole("row", { name: months[0] ?? "" })
          await actTold(closed, "Verify", "It is what was fixed.")
          const [download] = await Promise.all([
            page.waitForEvent("download"),
            closed.getByRole("button", { name: "Statement as PDF" }).click()
          ])
          assert.strictEqual(readFileSync(await download.path(), "latin1").slice(0, 5), "%PDF-")
          await goTo(page, "/books", "Books")
          await actDone(page, "Close a month", { period: months[0] ?? "" })
          await actTold(region(page, "Months of the service"), "Verify", "It is what was fixed.")
          await page.getByText("Statements of custodians and banks (0)").click()
          const form = page.locator("form", { hasText: "Add the statement" })
          for (const [name, text] of Object.entries(stated)) await form.locator(`[name="${name}"]`).fill(text)
          const file = { name: "bank.pdf", mimeType: "application/pdf", buffer: Buffer.from("what the bank says") }
          await form.getByLabel("Its file").setInputFiles(file)
          await form.getByRole("button", { name: "Add the statement" }).click()
          await page.getByText("Statements of custodians and banks (1)").waitFor()
          await actDone(page, "Take a snapshot", { environment: "SANDBOX" })
          await page.getByText("Statements of custodians and banks (0)").waitFor()
          const snapshots = region(page, "Solvency snapshots")
          await actTold(snapshots, "Verify", "It verifies")
          await actDone(snapshots, "Publish")
          return undefined
        })
        const { snapshots } = yield* operator.solvency.list({ query: {} })
        const document = yield* operator.solvency.document({ params: { snapshot_id: snapshots[0]?.id ?? "" } })
        assert.deepInclude(document.statements[0], {
          place: "custodian",
          provider: "Bank of Examples",
          currency: "EUR",
          file: "bank.pdf",
          sha256: createHash("sha256").update("what the bank says").digest("hex")
        })
        assert.deepStrictEqual([...ann.complaints, ...bob.complaints], [])
        return undefined
      })
    )

    it.effect("has left no action of the console untried", () =>
      Effect.gen(function* () {
        const { done } = yield* Day
        const untried = [...actionsOfConsole()].filter((name) => !done.has(name) && elsewhere[name] === undefined)
        assert.deepStrictEqual(untried, [])
      })
    )
  })
} else {
  layer(Layer.empty)("a day at the console", (it) => {
    it.effect.skip(consoleSkipped ?? "", () => Effect.void)
  })
}
