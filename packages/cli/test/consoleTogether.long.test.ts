import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { consoleSkipped, goTo } from "./support/consoleBrowser.ts"
import { consoleWithTenant } from "./support/consoleWithTenant.ts"

const openConsole = Effect.gen(function* () {
  const { operator, params, signedIn } = yield* consoleWithTenant()
  let tenants = 0
  return {
    /** Anything that happens makes the pages read again what they show. */
    happen: Effect.suspend(() => {
      tenants += 1
      return operator.tenants.create({ payload: { slug: `t${tenants}`, name: "Another", kind: "SANDBOX" } })
    }),
    operator,
    params,
    signedIn
  }
})

class Console extends Context.Service<Console, Effect.Success<typeof openConsole>>()("test/Together") {
  static readonly layer = Layer.effect(Console, openConsole)
}

/** The dialog says that others have changed what it is about. */
const outdated = (page: Page) => page.getByRole("dialog").getByText("This has changed since you opened it").waitFor()

/** Confirms the open dialog, by the label that it has, and waits until it is done. */
const confirm = async (page: Page, label: string) => {
  await page.getByRole("dialog", { name: label }).getByRole("button", { name: label }).click()
  await page.getByRole("dialog").waitFor({ state: "hidden" })
}

/** What a held arrival is until something changes. */
const held = {
  network: "ethereum",
  tx_hash: `0x${"ab".repeat(32)}`,
  transfer_index: 0,
  block_number: 7,
  block_hash: `0x${"11".repeat(32)}`,
  tenant_id: "01980000-0000-7000-8000-000000000000",
  address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
  currency: "USDT_ETH",
  amount_units: "5000000",
  state: "disputed",
  said: [],
  since: "2026-11-29T12:00:00.000Z",
  accepted_by: null,
  acceptance_reason: null,
  outcome: null,
  ended_by: null,
  end_reason: null,
  ended_at: null
}

/** An address that an operator holds, until somebody holds it anew. */
const heldAddress = {
  id: "01980000-0000-7000-8000-000000000001",
  network: "ethereum",
  address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
  reference: "r",
  source: "SERVICE_ISSUED",
  xpub_id: null,
  seed_id: null,
  derivation_index: null,
  watch_from: "2026-11-29T12:00:00.000Z",
  watch_from_block: null,
  sweep_held_at: "2026-11-29T12:00:00.000Z",
  sweep_hold_reason: "A customer asked to wait.",
  sweep_hold_kind: "OPERATOR",
  retired_at: null,
  created_at: "2026-11-29T12:00:00.000Z",
  watch_now_until: null,
  sweeps_enabled: false,
  watched_networks: null,
  sibling_of: null
}

/** A line of suspense that can be assigned. */
const arrival = (posting: number, amount: string) => ({
  id: `${posting}.0`,
  account: "suspense",
  operation_id: `01980000-0000-7000-8000-00000000000${posting}`,
  posted_at: "2026-11-29T12:00:00.000Z",
  direction: "in",
  amount: { amount, currency: "USDT_ETH" },
  network: "ethereum",
  tx_hash: `0x${String(posting).repeat(64)}`,
  reason: "unknown memo",
  paid_to: null,
  memo: null,
  from_address: null,
  assignable: true,
  assigned: null
})

if (consoleSkipped === undefined) {
  layer(Console.layer, { excludeTestServices: true, timeout: 120_000 })("the console, while others work", (it) => {
    it.effect("leaves a tenant suspended and payouts stopped when two operators order it at once", () =>
      Effect.gen(function* () {
        const { operator, params, signedIn } = yield* Console
        yield* operator.tenants.activate({ params, payload: {} })
        const { page } = yield* signedIn
        yield* Effect.promise(async () => {
          await goTo(page, `/tenants/${params.tenant_id}`, "Acme")
          await page.getByRole("button", { name: "Suspend" }).click()
        })
        yield* operator.tenants.suspend({ params, payload: {} })
        yield* Effect.promise(() => outdated(page))
        yield* Effect.promise(() => confirm(page, "Suspend"))
        assert.strictEqual((yield* operator.tenants.get({ params })).status, "SUSPENDED")

        yield* Effect.promise(async () => {
          await goTo(page, "/networks", "Networks")
          await page
            .getByRole("row", { name: /ethereum/u })
            .getByRole("button", { name: "Stop payouts" })
            .click()
          await page.getByLabel("Reason").fill("The node lies.")
        })
        yield* operator.health.stopPayouts({ params: { network: "ethereum" }, payload: { reason: "Somebody else." } })
        yield* Effect.promise(() => outdated(page))
        yield* Effect.promise(() => confirm(page, "Stop payouts"))
        const ethereum = Effect.map(operator.health.networks(), ({ networks }) =>
          networks.find(({ network }) => network === "ethereum")
        )
        assert.isFalse((yield* ethereum)?.payouts_enabled)

        const dialog = page.getByRole("dialog", { name: "Resume payouts" })
        yield* Effect.promise(async () => {
          await page
            .getByRole("row", { name: /ethereum/u })
            .getByRole("button", { name: "Resume payouts" })
            .click()
          await dialog.getByText("The node lies.").waitFor()
        })
        yield* operator.health.stopPayouts({ params: { network: "ethereum" }, payload: { reason: "A key is stolen." } })
        yield* Effect.promise(async () => {
          await outdated(page)
          await dialog.getByRole("button", { name: "Resume payouts" }).click()
          await dialog.getByRole("alert").getByText("A key is stolen.").waitFor()
        })
        assert.isFalse((yield* ethereum)?.payouts_enabled)
      }).pipe(Effect.scoped)
    )

    it.effect("changes of a tenant's settings only what the person changed, since the form was opened", () =>
      Effect.gen(function* () {
        const { operator, params, signedIn } = yield* Console
        const change = (payload: Parameters<typeof operator.tenants.changeSettings>[0]["payload"]) =>
          operator.tenants.changeSettings({ params, payload })
        yield* change({ payouts_enabled: true, payout_limit_usd: "1000" })
        const { page } = yield* signedIn
        const limit = page.getByLabel("Most for one payout, USD")
        yield* Effect.promise(async () => {
          await goTo(page, `/tenants/${params.tenant_id}`, "Acme")
          await page.getByRole("button", { name: "Change payouts" }).click()
          await limit.fill("50000")
          await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click()
        })
        yield* change({ payouts_enabled: false })
        yield* Effect.promise(async () => {
          await page.locator("dt:text-is('Payouts are made') + dd > bdi:text-is('no')").waitFor()
          await page.getByRole("button", { name: "Change payouts" }).click()
          assert.strictEqual(await page.getByLabel("Payouts are made").inputValue(), "false")
          assert.strictEqual(await limit.inputValue(), "1000")
        })
        yield* change({ payout_daily_limit_usd: "5000" })
        yield* Effect.promise(async () => {
          await outdated(page)
          await limit.fill("900")
          await confirm(page, "Change payouts")
        })
        assert.deepInclude((yield* operator.tenants.get({ params })).settings, {
          payouts_enabled: false,
          payout_limit_usd: "900",
          payout_daily_limit_usd: "5000"
        })
      }).pipe(Effect.scoped)
    )

    it.effect("undoes no list of a tenant's settings that another operator has changed since the form was opened", () =>
      Effect.gen(function* () {
        const { operator, params, signedIn } = yield* Console
        const offOn = (networks: ReadonlyArray<string>) =>
          operator.tenants.changeSettings({ params, payload: { payouts_off_on: networks } })
        yield* offOn([])
        const { page } = yield* signedIn
        yield* Effect.promise(async () => {
          await goTo(page, `/tenants/${params.tenant_id}`, "Acme")
          await page.getByRole("button", { name: "Change payouts" }).click()
          await page.getByLabel("Not on these networks").fill("ethereum")
        })
        yield* offOn(["tron"])
        yield* Effect.promise(async () => {
          const dialog = page.getByRole("dialog")
          await dialog.getByRole("button", { name: "Change payouts" }).click()
          await dialog.getByText("Another operator has changed payouts_off_on meanwhile").waitFor()
        })
        assert.deepStrictEqual((yield* operator.tenants.get({ params })).settings.payouts_off_on, ["tron"])
        yield* offOn([])
      }).pipe(Effect.scoped)
    )

    it.effect("assigns the arrival that the dialog was opened for, though another has come", () =>
      Effect.gen(function* () {
        const { happen, signedIn } = yield* Console
        const { page } = yield* signedIn
        let entries = [arrival(1, "5")]
        const shortfalls = [{ place: "chain:ethereum:payouts", amount: { amount: "1", currency: "ETH" } }]
        let balances = ["ETH", "USDT_ETH"].map((currency) => ({ amount: "5", currency }))
        const lines = page.getByRole("region", { name: "Suspense of acme" }).locator("tbody tr")
        yield* Effect.promise(async () => {
          await page.route("**/suspense?*", (route) =>
            route.fulfill({ json: { balances, shortfalls, entries, next_cursor: null } })
          )
          await page.route("**/float-adjustments", (route) => route.abort())
          await goTo(page, "/deposits", "Deposits")
          await page.getByText("Belongs to nobody yet").nth(1).waitFor()
          await lines.getByRole("button", { name: "Assign" }).click()
          await page.getByLabel("Whose is it").fill("The 5 of Acme, says their mail.")
        })
        entries = [arrival(2, "70000"), ...entries]
        balances = []
        yield* happen
        const sent = yield* Effect.promise(async () => {
          await lines.nth(1).waitFor()
          assert.strictEqual(await page.getByText("Belongs to nobody yet").count(), 0)
          const dialog = page.getByRole("dialog", { name: "Assign" })
          const [request] = await Promise.all([
            page.waitForRequest("**/float-adjustments"),
            dialog.getByRole("button", { name: "Assign" }).click()
          ])
          return request.postDataJSON()
        })
        assert.deepInclude(sent, { amount: "5", assigns: arrival(1, "5").operation_id })
      }).pipe(Effect.scoped)
    )

    it.effect("does not say that all nodes agree once the last of a later page is decided, while others wait", () =>
      Effect.gen(function* () {
        const { signedIn } = yield* Console
        const { page } = yield* signedIn
        yield* Effect.promise(async () => {
          await page.route("**/held-arrivals?*", (route) =>
            route.fulfill({
              json: route.request().url().includes("cursor=")
                ? { arrivals: [], next_cursor: null }
                : { arrivals: [held], next_cursor: "v1.a.b" }
            })
          )
          await goTo(page, "/deposits", "Deposits")
          await page.getByRole("button", { name: "Next page" }).click()
          await page.getByText("Nothing is on this page any more.").waitFor()
          assert.strictEqual(await page.getByText("Nodes agree about every deposit.").count(), 0)
        })
      }).pipe(Effect.scoped)
    )

    it.effect("accepts a held arrival in the block alone that the dialog names", () =>
      Effect.gen(function* () {
        const { happen, signedIn } = yield* Console
        const { page } = yield* signedIn
        let shown: object = held
        const dialog = page.getByRole("dialog", { name: "Accept" })
        yield* Effect.promise(async () => {
          await page.route("**/held-arrivals?*", (route) =>
            route.fulfill({ json: { arrivals: [shown], next_cursor: null } })
          )
          await goTo(page, "/deposits", "Deposits")
          await page.getByRole("button", { name: "Accept" }).click()
          await dialog.getByText(held.block_hash).waitFor()
        })
        shown = { ...held, accepted_by: "somebody" }
        yield* happen
        yield* Effect.promise(() => outdated(page))
        const block_hash = `0x${"22".repeat(32)}`
        shown = { ...held, block_hash }
        yield* happen
        yield* Effect.promise(async () => {
          await dialog.getByText("This is not in the page any more").waitFor()
          await dialog.getByText(held.block_hash).waitFor()
          await dialog.getByRole("textbox").fill("An explorer has it.")
          const asked = page.waitForRequest("**/networks/ethereum/held-arrivals/accept")
          await dialog.getByRole("button", { name: "Accept" }).click()
          assert.include((await asked).postDataJSON(), { block_hash: held.block_hash })
          await dialog.getByRole("alert").waitFor()
          await dialog.getByRole("button", { name: "Cancel" }).click()
          await page.getByRole("button", { name: "Accept" }).click()
          await dialog.getByText(block_hash).waitFor()
        })
      }).pipe(Effect.scoped)
    )

    it.effect("releases no address that somebody has held for another reason since the dialog was opened", () =>
      Effect.gen(function* () {
        const { happen, signedIn } = yield* Console
        const { page } = yield* signedIn
        let shown: object = heldAddress
        const dialog = page.getByRole("dialog", { name: "Release" })
        yield* Effect.promise(async () => {
          await page.route("**/operator/v1/**/addresses?*", (route) =>
            route.fulfill({ json: { addresses: [shown], next_after: null } })
          )
          await goTo(page, "/deposits/addresses?tenant=acme", "Addresses")
          await page.getByRole("button", { name: "Release" }).click()
          await dialog.getByText("A customer asked to wait.").waitFor()
        })
        shown = {
          ...heldAddress,
          sweep_held_at: "2026-11-30T12:00:00.000Z",
          sweep_hold_reason: "The payout key is stolen."
        }
        yield* happen
        const asked = yield* Effect.promise(async () => {
          await outdated(page)
          const request = page.waitForRequest("**/release?*")
          await dialog.getByRole("button", { name: "Release" }).click()
          return (await request).url()
        })
        assert.strictEqual(new URL(asked).searchParams.get("held_at"), heldAddress.sweep_held_at)
      }).pipe(Effect.scoped)
    )

    it.effect("refuses a held arrival for nothing but what the dialog shows that it pays", () =>
      Effect.gen(function* () {
        const { happen, signedIn } = yield* Console
        const { page } = yield* signedIn
        let shown: object = held
        const dialog = page.getByRole("dialog", { name: "Refuse" })
        yield* Effect.promise(async () => {
          await page.route("**/held-arrivals?*", (route) =>
            route.fulfill({ json: { arrivals: [shown], next_cursor: null } })
          )
          await goTo(page, "/deposits", "Deposits")
          await page.getByRole("button", { name: "Refuse" }).click()
          await dialog.getByText("5000000 of USDT_ETH").waitFor()
        })
        // others have come above it: what its record says meanwhile is nowhere in the page
        shown = { ...held, tx_hash: `0x${"cd".repeat(32)}` }
        yield* happen
        const sent = yield* Effect.promise(async () => {
          await dialog.getByText("This is not in the page any more").waitFor()
          await dialog.getByRole("textbox").fill("Forged: no explorer has it.")
          const asked = page.waitForRequest("**/networks/ethereum/held-arrivals/refuse")
          await dialog.getByRole("button", { name: "Refuse" }).click()
          return (await asked).postDataJSON()
        })
        const pays = { address: held.address, currency: "USDT_ETH", amount_units: "5000000" }
        assert.deepInclude(sent, { tx_hash: held.tx_hash, pays })
      }).pipe(Effect.scoped)
    )
  })
} else {
  layer(Layer.empty)("the console, while others work", (it) => {
    it.effect.skip(consoleSkipped ?? "", () => Effect.void)
  })
}
