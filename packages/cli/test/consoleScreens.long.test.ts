import { createCustomer } from "@bursar/core/customer/createCustomer"
import type { OperatorAction } from "@bursar/core/audit/AuditRecord"
import type { Command } from "@bursar/core/engine/Command"
import { putRecord, readRecord } from "@bursar/core/engine/Records"
import { layer as layerWriter, Writer } from "@bursar/core/engine/Writer"
import { confirmWalletTransfers, recordWalletTransfers } from "@bursar/core/incoming/walletTransfers"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { Operation } from "@bursar/core/operation/Operation"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { ProviderCalls } from "@bursar/core/port/ProviderCalls"
import { storedEvidence } from "@bursar/core/signature/SignatureEvidence"
import { WatchState } from "@bursar/core/store/WatchState"
import { Sweep } from "@bursar/core/sweep/Sweep"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { layer as layerPostgres } from "@bursar/postgres"
import { takeFence } from "@bursar/testkit/fixtures/fences"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Result } from "effect"
import { generateKeyPairSync } from "node:crypto"
import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"
import {
  assertScreensUsable,
  assertUsable,
  canary,
  consoleOrigin,
  consoleSkipped,
  goTo,
  openBrowser,
  settled
} from "./support/consoleBrowser.ts"
import { fiatTenant, holdOne, writeFiatHistory } from "./support/fiatHistory.ts"
import { openTenant, operatorOn, partnerOn, untilLetIn } from "./support/tenant.ts"
import { environmentOf, migratedDatabase, secrets, serve, sqlOn } from "./support/world.ts"

const depositAddress = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"

/** A name that would run as markup, and that a sign nobody sees would have people read as another. */
const turning = `${canary} \u202eatsoC iuR`

/** The same name as people are to see it. */
const turningShown = turning.replace("\u202e", String.raw`\u{202e}`)

const explorer = {
  transaction: "https://explorer.example/tx/{hash}",
  address: "https://explorer.example/of?a={address}"
}

/** A sweep that was given up in words that are an attack. */
const givenUp = (sweepId: string, addressId: string): Command<null> => ({
  name: "PutSweep",
  reads: [],
  decide: ({ now }) =>
    Result.succeed({
      changes: [
        putRecord(Sweep, {
          id: sweepId,
          network: "ethereum",
          addressId,
          address: depositAddress,
          account: depositAddress,
          key: { _tag: "Imported" },
          currency: "ETH",
          contract: null,
          units: 5n * 10n ** 17n,
          state: "ABANDONED",
          topUpTransactionId: null,
          sweepTransactionId: null,
          deposits: [{ depositId: addressId, network: "ethereum", txHash: `0x${"ab".repeat(32)}`, transferIndex: 0 }],
          problem: turning,
          createdAt: now,
          endedAt: now,
          closedAt: now
        })
      ],
      reply: null
    })
})

/** What somebody with a stolen token did, so often that nothing from before is among the newest that are shown. */
const stolen = (n: number): OperatorAction => ({
  ...{ actionId: crypto.randomUUID(), at: n, operator: "mallory", role: "operator", method: "POST" },
  ...{ route: n === 0 ? "/the/very/first" : "/another", params: {}, status: 200, requestId: "r", address: "" },
  content: null
})

/** An operation whose signed request is an attack. */
const signedBy = (operationId: string): Command<null> => ({
  name: "PutSignature",
  reads: [readRecord(Operation, operationId)],
  decide: (view) => {
    const operation = view.get(Operation, operationId)
    if (operation === undefined) throw new Error("there is no such operation")
    const signature = storedEvidence({ keyid: canary, signatureBase: canary, signature: canary, body: "e30=" })
    const details = { ...operation.details, signature }
    return Result.succeed({ changes: [putRecord(Operation, { ...operation, details })], reply: null })
  }
})

/** What came to a wallet of a tenant and is for nobody: the transfer, as the network has it. */
const strayTransfer = {
  network: "ethereum",
  txHash: `0x${"cd".repeat(32)}`,
  transferIndex: 0,
  walletId: "0197a5c0-0000-7000-8000-000000000001",
  address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  paidTo: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  memo: { type: "text", value: turning },
  currency: "ETH",
  units: 7n * 10n ** 17n,
  fromAddress: "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  block: { number: 1, hash: "b1", time: 10 }
} as const

/** Books a stray transfer, and gives the operation that did. */
const strayArrival = Effect.fnUntraced(function* (tenantId: TenantId) {
  const { submit } = yield* Writer
  const [incomingTransfer] = yield* submit(tenantId, recordWalletTransfers([strayTransfer], presetNetworks))
  if (incomingTransfer === undefined) return assert.fail("it was not noted")
  const found = [{ incomingTransfer, block: strayTransfer.block }]
  const [booked] = yield* submit(tenantId, confirmWalletTransfers(found, presetNetworks, nothingUndecided))
  return booked?.bookedBy ?? assert.fail("it was not booked")
})

/** A service with a tenant that has fiat, one that has an address, a sweep and a wallet, and a customer whose names are attacks. */
const openScreens = Effect.gen(function* () {
  const { url } = yield* migratedDatabase
  yield* writeFiatHistory(url)
  const heldId = yield* holdOne(url, turning)
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  // nothing listens there: a network and a bank that are on and cannot be reached
  const server = yield* serve({
    ...environmentOf(url, { ethereum: "http://127.0.0.1:9" }),
    EXPLORERS: JSON.stringify({ ethereum: explorer }),
    FIAT_PROVIDER: "bridge",
    BRIDGE_API_KEY: "key",
    BRIDGE_CUSTOMER_ID: "customer",
    BRIDGE_WEBHOOK_PUBLIC_KEY: publicKey.export({ format: "pem", type: "spki" }).toString(),
    BRIDGE_HOLDINGS: "{}",
    BRIDGE_URL: "http://127.0.0.1:9"
  })
  const operator = yield* operatorOn(server.operatorUrl)
  const acme = yield* openTenant(operator, "acme")
  const partner = yield* partnerOn(server.partnerUrl, acme.key)
  yield* untilLetIn(partner)
  const { results } = yield* partner.depositAddresses.register({
    headers: { "idempotency-key": crypto.randomUUID() },
    payload: { addresses: [{ network: "ethereum", address: depositAddress, reference: canary }] }
  })
  const addressId = results[0]?.address?.id ?? ""
  const sweepId = crypto.randomUUID()
  const params = { tenant_id: acme.id }
  const owner = yield* openTenant(operator, "owner")
  yield* operator.tenants.changeSettings({ params, payload: { adjustment_review_usd: null } })
  yield* operator.floats.adjust({
    params,
    headers: { "idempotency-key": crypto.randomUUID() },
    payload: { currency: "ETH", amount: "1.5", against: "suspense", reason: canary }
  })
  const { operations } = yield* operator.operations.list({ query: { tenant_id: acme.id } })
  const operationId = operations[0]?.id ?? ""
  const transfers = yield* operator.operations.list({ query: { tenant_id: fiatTenant, kind: "BANK_TRANSFER" } })
  const transferId = transfers.operations[0]?.id ?? ""
  const ports = layerWriter.pipe(Layer.provideMerge(layerPostgres({ url: Redacted.make(url), maxConnections: 2 })))
  const { arrivalId, customer } = yield* Effect.gen(function* () {
    const { submit } = yield* Writer
    const arrivalId = yield* strayArrival(TenantId(owner.id))
    yield* submit(TenantId(acme.id), givenUp(sweepId, addressId))
    yield* submit(TenantId(acme.id), signedBy(operationId))
    const audit = yield* OperatorAudit
    for (let n = 0; n < 430; n++) yield* audit.append(stolen(n))
    const fence = yield* takeFence("watch:ethereum")
    const node = { node: `node 1 of 1 (${canary})`, operator: canary, isAsked: true, calls: 8, failed: 2 }
    const nodes = [{ ...node, problem: turning, problemAt: 0 }]
    yield* (yield* WatchState).report(fence, "ethereum", { latest: null, problem: turning, notice: null, nodes })
    yield* (yield* ProviderCalls).note({
      tenantId: TenantId(fiatTenant),
      operationId: transferId,
      provider: "bridge",
      call: "transfer",
      at: 0,
      durationMs: 12,
      outcome: "Unknown",
      asked: { reference: turning },
      answered: { detail: turning }
    })
    const names = { externalId: turning, displayName: turning }
    const person = createCustomer({ ...names, isBusiness: false, country: "PT" })
    return { arrivalId, customer: yield* submit(TenantId(acme.id), person) }
  }).pipe(Effect.provide(ports), Effect.scoped)
  const wallet = yield* operator.payouts.createWallet({ params, payload: { network: "ethereum" } })
  const fiat = yield* operator.customers.list({ params: { tenant_id: fiatTenant }, query: {} })
  const { signedIn } = yield* openBrowser(server.operatorUrl)
  return {
    acme,
    addressId,
    arrivalId,
    customer,
    fiatCustomer: fiat.customers[0]?.id ?? "",
    heldId,
    sql: yield* sqlOn(url),
    operationId,
    operator,
    owner,
    params,
    signedIn: (options = {}) => signedIn(secrets.OPERATOR_TOKEN, options),
    sweepId,
    transferId,
    wallet
  }
})

class Screens extends Context.Service<Screens, Effect.Success<typeof openScreens>>()("test/Screens") {
  static readonly layer = Layer.effect(Screens, openScreens)
}

/** Every screen of this test, with the heading by which a person knows it. */
const screensOf = ({ acme, customer, fiatCustomer, heldId, operationId, sweepId, wallet }: Screens["Service"]) =>
  [
    [`/operations/${acme.id}/${operationId}`, "ADJUSTMENT 1.5 ETH"],
    [`/operations/${fiatTenant}/${heldId}`, "BANK_TRANSFER 10 EUR"],
    ["/approvals", "Approvals"],
    [`/deposits/addresses?tenant=acme`, "Addresses"],
    [`/wallets/sweeps?tenant=acme`, "Sweeps"],
    [`/wallets/sweeps/${acme.id}/${sweepId}`, "Sweep of 0.5 ETH"],
    [`/wallets/${acme.id}/${wallet.id}`, "ethereum payout wallet"],
    [`/customers?tenant=acme`, "Customers"],
    [`/customers/${acme.id}/${customer.id}`, turningShown],
    [`/customers/${fiatTenant}/${fiatCustomer}`, "user-1"],
    ["/books", "Books"],
    ["/reconciliation", "Reconciliation"],
    [`/tenants/${acme.id}`, "acme"],
    ["/networks", "Networks"],
    ["/audit", "Audit"],
    ["/settings", "Settings"]
  ] as const

/** Opens an action and gives its dialog. */
const opened = async (page: Page, name: string) => {
  await page.getByRole("button", { name, exact: true }).first().click()
  return page.getByRole("dialog", { name, exact: true })
}

/** The text of the file that a click gives. */
const fileOf = async (page: Page, click: () => Promise<void>): Promise<string> => {
  const [download] = await Promise.all([page.waitForEvent("download"), click()])
  return readFileSync(await download.path(), "utf8")
}

if (consoleSkipped === undefined) {
  layer(Screens.layer, { excludeTestServices: true, timeout: 300_000 })("the console's screens", (it) => {
    it.effect("are usable by all in light and dark, fit a phone, and take no text of a partner for markup", () =>
      Effect.gen(function* () {
        const screens = yield* Screens
        const one = yield* screens.signedIn()
        yield* Effect.promise(() => assertScreensUsable(one, screensOf(screens)))
      }).pipe(Effect.scoped)
    )

    it.effect("lead to the explorer of a network, and show the request that was signed", () =>
      Effect.gen(function* () {
        const { acme, operationId, signedIn, sweepId } = yield* Screens
        const { page } = yield* signedIn()
        yield* Effect.promise(() => goTo(page, `/wallets/sweeps/${acme.id}/${sweepId}`, "Sweep of 0.5 ETH"))
        yield* Effect.promise(() => page.getByRole("main").getByRole("link", { name: "acme", exact: true }).waitFor())
        const found = yield* Effect.promise(() => page.getByLabel("Look the address up").first().getAttribute("href"))
        assert.strictEqual(found, `https://explorer.example/of?a=${depositAddress}`)
        const hash = yield* Effect.promise(() =>
          page.getByLabel("Look the transaction up").first().getAttribute("href")
        )
        assert.strictEqual(hash, `https://explorer.example/tx/0x${"ab".repeat(32)}`)
        yield* Effect.promise(() => goTo(page, `/operations/${acme.id}/${operationId}`, "ADJUSTMENT 1.5 ETH"))
        yield* Effect.promise(() => page.getByRole("heading", { name: "Signed request" }).waitFor())
        assert.strictEqual(yield* Effect.promise(() => page.locator("pre").first().textContent()), canary)
        yield* Effect.promise(() => page.getByText("No endpoint was tried").waitFor())
      }).pipe(Effect.scoped)
    )

    it.effect("show whom a transfer pays in the list, on its page and once more before it is approved", () =>
      Effect.gen(function* () {
        const { heldId, signedIn } = yield* Screens
        const { complaints, page } = yield* signedIn()
        const [account, isNew] = ["PT50000201231234567890154", "fiat has never paid it before"]
        yield* Effect.promise(async () => {
          await goTo(page, "/approvals", "Approvals")
          const row = page.getByRole("row", { name: account })
          for (const text of [turningShown, "new receiver", "10 EUR"]) await row.getByText(text).first().waitFor()
          await goTo(page, `/operations/${fiatTenant}/${heldId}`, "BANK_TRANSFER 10 EUR")
          const facts = page.getByRole("region", { name: "Facts" })
          const dialog = await opened(page, "Approve")
          for (const place of [dialog, facts])
            for (const text of [turningShown, account, isNew]) await place.getByText(text).first().waitFor()
          await dialog.getByText("will leave to").waitFor()
          assert.notInclude(await page.locator("body").innerText(), "\u202e")
          await assertUsable(page, "the approval of a transfer")
        })
        assert.deepStrictEqual(complaints, [])
      }).pipe(Effect.scoped)
    )

    it.effect("show which arrival is assigned, before it is proposed and before it is approved", () =>
      Effect.gen(function* () {
        const { arrivalId, operator, owner, signedIn } = yield* Screens
        const { complaints, page } = yield* signedIn()
        const { fromAddress, paidTo, txHash } = strayTransfer
        const memo = `text:${turningShown}`
        yield* Effect.promise(async () => {
          await goTo(page, "/deposits", "Deposits")
          await page.getByText(memo).first().waitFor()
          const dialog = await opened(page, "Assign")
          for (const text of ["0.7", fromAddress, paidTo, memo, txHash])
            await dialog.locator("dl").getByText(text).first().waitFor()
          await assertUsable(page, "the assignment of an arrival")
          await dialog.locator("textarea").fill(turning)
          await dialog.getByRole("button", { name: "Assign" }).click()
          await page.getByText("Assigned, to be approved").waitFor()
          await goTo(page, `/tenants/${owner.id}`, "owner")
          const proposals = page.getByRole("region", { name: "Adjustments" })
          const proposed = proposals.getByRole("row", { name: arrivalId }).first()
          await proposed.getByText(turningShown).waitFor()
          for (const name of ["Approve", "Reject"]) {
            const decision = await opened(page, name)
            await decision.getByText("Assigns", { exact: true }).waitFor()
            await decision.getByText(arrivalId, { exact: true }).waitFor()
            await page.keyboard.press("Escape")
            await decision.waitFor({ state: "hidden" })
          }
          await proposals.getByRole("link", { name: arrivalId }).click()
          await page.getByText(txHash).first().waitFor()
          assert.notInclude(await page.locator("body").innerText(), "\u202e")
        })
        assert.deepStrictEqual(complaints, [])
        const { adjustments } = yield* operator.floats.adjustments({ params: { tenant_id: owner.id } })
        assert.deepStrictEqual(
          adjustments.map(({ assigns, state }) => [assigns, state]),
          [[arrivalId, "PROPOSED"]]
        )
      }).pipe(Effect.scoped)
    )

    it.effect("show what a provider was asked and answered, and how often nodes failed", () =>
      Effect.gen(function* () {
        const { signedIn, transferId } = yield* Screens
        const { complaints, page } = yield* signedIn()
        yield* Effect.promise(async () => {
          await page.goto(`${consoleOrigin}/operations/${fiatTenant}/${transferId}`)
          const calls = page.getByRole("region", { name: "Provider" })
          await calls.getByRole("row", { name: "UNKNOWN" }).getByText(canary).first().waitFor()
          await goTo(page, "/networks", "Networks")
          const nodes = page.getByRole("region", { name: "Nodes in the last hour" })
          await nodes.getByRole("row", { name: "node 1 of 1" }).getByText("2 of 8 (25 %)").waitFor()
        })
        assert.deepStrictEqual(complaints, [])
      }).pipe(Effect.scoped)
    )

    it.effect("make a tenant ready: limits, money to try, a wallet, an endpoint, and a key that nothing keeps", () =>
      Effect.gen(function* () {
        const { operator, signedIn } = yield* Screens
        const { page } = yield* signedIn()
        const key = yield* Effect.promise(async () => {
          await goTo(page, "/tenants", "Tenants")
          const made = await opened(page, "New tenant")
          await made.getByLabel("Short name").fill("newcomer")
          await made.getByRole("textbox", { name: "Name", exact: true }).fill("Newcomer")
          await made.getByRole("button", { name: "New tenant" }).click()
          await page.getByRole("link", { name: "newcomer" }).click()
          await settled(page, "Newcomer")
          const switched = await opened(page, "Activate")
          await switched.getByRole("button", { name: "Activate" }).click()
          await page.getByText("ACTIVE", { exact: true }).waitFor()
          const changed = await opened(page, "Change payouts")
          await changed.getByLabel("Most within 24 hours, USD").fill("2500")
          await changed.getByRole("button", { name: "Change payouts" }).click()
          await changed.waitFor({ state: "hidden" })
          await page.getByRole("region", { name: "Limits" }).last().getByText("2500").first().waitFor()
          const given = await opened(page, "Give it test money")
          await given.getByRole("button", { name: "Give it test money" }).click()
          await given.getByText("It waits for another operator.").waitFor()
          await given.getByRole("button", { name: "Close" }).click()
          const wallet = await opened(page, "New wallet")
          await wallet.getByRole("button", { name: "New wallet" }).click()
          await wallet.getByText("Fund it here").waitFor()
          await wallet.getByRole("button", { name: "Close" }).click()
          const endpoint = await opened(page, "New endpoint")
          await endpoint.getByLabel("URL").fill("https://partner.example/hook")
          await endpoint.getByRole("button", { name: "New endpoint" }).click()
          await endpoint.getByText("It is not shown again").waitFor()
          await endpoint.getByRole("button", { name: "Close" }).click()
          const created = await opened(page, "New API key")
          await created.getByLabel("What it is for").fill("payouts")
          await created.getByLabel("Bundle of scopes").selectOption("chain_payouts")
          await created.getByRole("button", { name: "New API key" }).click()
          const shown = created.getByRole("button", { name: /^Copy|_/u }).first()
          const text = (await shown.innerText()).trim()
          await created.getByRole("button", { name: "Close" }).click()
          await page.reload()
          await settled(page, "Newcomer")
          return text
        })
        const kept = yield* Effect.promise(() =>
          page.evaluate<string>("JSON.stringify([localStorage, sessionStorage]) + document.documentElement.outerHTML")
        )
        assert.isAbove(key.length, 20)
        assert.notInclude(kept, key)
        const { tenants } = yield* operator.tenants.list()
        const tenant = tenants.find(({ slug }) => slug === "newcomer")
        assert.deepInclude(tenant, { status: "ACTIVE", kind: "SANDBOX" })
        assert.strictEqual(tenant?.settings.payout_daily_limit_usd, "2500")
        const params = { tenant_id: tenant?.id ?? "" }
        assert.lengthOf((yield* operator.payouts.wallets({ params })).wallets, 1)
        assert.lengthOf((yield* operator.webhooks.list({ params })).webhooks, 1)
        // nobody knows a price of it here, so that it takes another operator
        const { adjustments } = yield* operator.floats.adjustments({ params })
        assert.deepStrictEqual(
          adjustments.map(({ amount, state }) => [amount, state]),
          [[{ amount: "1000", currency: "USDT_ETH" }, "PROPOSED"]]
        )
        const { entries } = yield* operator.audit.list({ query: {} })
        assert.notInclude(JSON.stringify(entries), key)
      }).pipe(Effect.scoped)
    )

    it.effect("tell why something is refused, and read an address's past again", () =>
      Effect.gen(function* () {
        const { addressId, operator, params, signedIn, sql } = yield* Screens
        const endpoint = yield* operator.webhooks.create({
          params,
          payload: { url: "https://partner.example/hook", kinds: ["xpub.retired"] }
        })
        const { page } = yield* signedIn()
        yield* Effect.promise(async () => {
          await goTo(page, `/tenants/${params.tenant_id}/webhooks/${endpoint.id}`, "https://partner.example/hook")
          const ping = await opened(page, "Ping")
          await ping.getByRole("button", { name: "Ping" }).click()
          await ping.getByRole("alert").getByText("no event yet").waitFor()
          await goTo(page, "/deposits/addresses?tenant=acme", "Addresses")
          const scan = await opened(page, "Read the past")
          await scan.getByRole("button", { name: "Read the past" }).click()
          await scan.getByRole("alert").getByText("either").waitFor()
          await scan.getByLabel("Or from this block").fill("7")
          await scan.getByRole("button", { name: "Read the past" }).click()
          await scan.getByText("It has begun").waitFor()
          await scan.getByRole("button", { name: "Close" }).click()
          await page.getByRole("region", { name: "Readings of the past" }).last().getByText("not begun").waitFor()
        })
        const { scans } = yield* operator.addresses.scans({ query: {} })
        assert.deepStrictEqual(
          scans.map(({ addresses, from_block: from }) => [addresses, from]),
          [[[depositAddress], 7]]
        )
        assert.isString(addressId)
        // as the worker says of one that no node can serve
        yield* sql`update backfill set problem = 'No node keeps it'`
        yield* Effect.promise(async () => {
          await goTo(page, "/deposits/addresses?tenant=acme", "Addresses")
          const end = await opened(page, "End")
          await end.locator('[name="reason"]').fill("No node keeps it")
          await end.getByRole("button", { name: "End", exact: true }).click()
          await end.waitFor({ state: "hidden" })
        })
        const { scans: ended } = yield* operator.addresses.scans({ query: { ended: true } })
        assert.deepStrictEqual(
          ended.map(({ id }) => id),
          scans.map(({ id }) => id)
        )
      }).pipe(Effect.scoped)
    )

    it.effect("end the approval of an applicant that the identity provider has deleted", () =>
      Effect.gen(function* () {
        const { fiatCustomer, operator, signedIn } = yield* Screens
        const { page } = yield* signedIn()
        yield* Effect.promise(async () => {
          await goTo(page, `/customers/${fiatTenant}/${fiatCustomer}`, "user-1")
          const end = await opened(page, "End the approval")
          await end.locator('[name="reason"]').fill("Deleted at the provider")
          await end.getByRole("button", { name: "End the approval", exact: true }).click()
          await end.waitFor({ state: "hidden" })
          await page.getByText("EXPIRED", { exact: true }).first().waitFor()
        })
        const params = { tenant_id: fiatTenant, customer_id: fiatCustomer }
        assert.strictEqual((yield* operator.customers.get({ params })).customer.verification.status, "EXPIRED")
      }).pipe(Effect.scoped)
    )

    it.effect("give the books and the log as files, and check the books one tenant after the other", () =>
      Effect.gen(function* () {
        const { operator, signedIn } = yield* Screens
        const { page } = yield* signedIn({ acceptDownloads: true })
        const [books, log] = yield* Effect.promise(async () => {
          await goTo(page, "/books?tenant=fiat", "Books")
          const exported = await fileOf(page, () => page.getByRole("button", { name: "Export" }).click())
          await goTo(page, "/audit", "Audit")
          const audit = await fileOf(page, () => page.getByRole("button", { name: "Export" }).click())
          await goTo(page, "/networks", "Networks")
          await page.getByRole("button", { name: "Check the books" }).click()
          await page.getByText(/^\d+ of \d+ tenants$/u).waitFor()
          return [exported, audit] as const
        })
        assert.match(books, /EUR/u)
        const ids = log
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line).id)
        assert.deepStrictEqual(
          ids,
          ids.map((_, index) => index + 1)
        )
        const { entries } = yield* operator.audit.list({ query: { limit: 1 } })
        assert.isAtLeast(entries[0]?.id ?? 0, ids.length)
      }).pipe(Effect.scoped)
    )

    it.effect("find in the log what was done before hundreds of other actions, and page to it", () =>
      Effect.gen(function* () {
        const { page } = yield* (yield* Screens).signedIn()
        yield* Effect.promise(async () => {
          await goTo(page, "/audit", "Audit")
          await page.getByLabel("Action or id").fill("/the/very/first")
          await page.getByRole("cell", { name: "POST /the/very/first" }).waitFor()
          await page.getByLabel("Action or id").fill("/no/such/action")
          await page.getByText("Nothing fits, down to the first record.").waitFor()
          await page.getByLabel("Action or id").fill("")
          await page.getByRole("button", { name: "Next page" }).click()
          await page.getByRole("button", { name: "First page" }).click()
          await page.getByLabel("Operator").fill("nobody-of-that-name")
          await page.getByText("Nothing fits, down to the first record.").waitFor()
        })
      }).pipe(Effect.scoped)
    )

    it.effect("read a bank's file, show what is in it, and import it once; and stop and resume the bank", () =>
      Effect.gen(function* () {
        const { operator, signedIn } = yield* Screens
        const { page } = yield* signedIn()
        const statements = operator.reconciliation.statements({ query: { place: "bank:bridge" } })
        yield* Effect.promise(async () => {
          await goTo(page, "/reconciliation", "Reconciliation")
          const buffer = Buffer.from(`date,amount,text\n2026-11-23T13:34:56Z,-40.5,${canary.replaceAll('"', "")}\n`)
          await page.getByLabel("File").setInputFiles({ name: "november.csv", mimeType: "text/csv", buffer })
          await page.getByLabel("CSV: which columns").fill("{")
          await page.getByRole("button", { name: "Read the file" }).click()
          await page.getByRole("alert").getByText("no JSON").waitFor()
          const columns = { at: "date", amount: "amount", text: ["text"] }
          await page.getByLabel("CSV: which columns").fill(JSON.stringify({ columns, currency: "EUR" }))
          await page.getByLabel("CSV: its name").fill("2026-11")
          await page.getByLabel("CSV: from").fill("2026-11-01T00:00:00Z")
          await page.getByLabel("CSV: to").fill("2026-12-01T00:00:00Z")
          await page.getByRole("button", { name: "Read the file" }).click()
          await page.getByText("For bank:bridge: 1 lines in 2026-11").waitFor()
          // what the form says otherwise by now has to be read anew
          await page.getByLabel("CSV: to").fill("2026-12-02T00:00:00Z")
          await page.getByText("1 lines in 2026-11").waitFor({ state: "detached" })
          await page.getByRole("button", { name: "Read the file" }).click()
          await page.getByText("Nothing is kept yet.").waitFor()
        })
        assert.lengthOf((yield* statements).statements, 0)
        yield* Effect.promise(async () => {
          const dialog = await opened(page, "Import")
          for (const text of ["For bank:bridge: 1 lines", "POST /operator/v1/reconciliation/statements"])
            await dialog.getByText(text).waitFor()
          await dialog.getByRole("button", { name: "Import" }).click()
          await page.getByText("All of it is kept.").waitFor()
          await dialog.waitFor({ state: "hidden" })
          await page.getByText("1 of 1 parts").waitFor()
          await page.getByRole("region", { name: "Statements of bank:bridge" }).getByText("2026-11").first().waitFor()
        })
        assert.deepInclude((yield* statements).statements[0], { id: "2026-11", missing_parts: 0 })
        const stopped = Effect.map(operator.health.providers(), ({ providers }) => providers[0]?.stopped?.reason)
        yield* Effect.promise(async () => {
          await goTo(page, "/networks", "Networks")
          const row = page.getByRole("row", { name: /bridge/u })
          await row.getByRole("button", { name: "Stop" }).click()
          const dialog = page.getByRole("dialog", { name: "Stop", exact: true })
          await dialog.getByLabel("Reason").fill("It answers nobody.")
          await dialog.getByRole("button", { name: "Stop" }).click()
          await row.getByText("It answers nobody.").waitFor()
        })
        assert.strictEqual(yield* stopped, "It answers nobody.")
        yield* Effect.promise(async () => {
          const row = page.getByRole("row", { name: /bridge/u })
          await row.getByRole("button", { name: "Resume" }).click()
          await page
            .getByRole("dialog", { name: "Resume", exact: true })
            .getByRole("button", { name: "Resume" })
            .click()
          await row.getByText("on", { exact: true }).waitFor()
        })
        assert.isUndefined(yield* stopped)
      }).pipe(Effect.scoped)
    )

    it.effect("end another browser's session by keyboard alone, and that browser is told, and changes nothing", () =>
      Effect.gen(function* () {
        const { operator, signedIn } = yield* Screens
        const other = yield* signedIn()
        yield* Effect.promise(() => goTo(other.page, "/tenants", "Tenants"))
        const mine = yield* signedIn()
        const { keyboard } = mine.page
        yield* Effect.promise(async () => {
          await keyboard.press("g")
          await keyboard.press("s")
          await settled(mine.page, "Settings")
          const sessions = mine.page.getByRole("region", { name: "Sessions" }).last()
          const row = sessions.getByRole("row").filter({ hasNotText: "this browser" })
          for (let left = (await row.count()) - 1; left > 0; left--) {
            await row.nth(1).getByRole("button", { name: "End" }).focus()
            await keyboard.press("Enter")
            await mine.page.getByRole("dialog", { name: "End" }).getByRole("button", { name: "End" }).focus()
            await keyboard.press("Enter")
            await mine.page.getByRole("dialog", { name: "End" }).waitFor({ state: "hidden" })
          }
          // its stream tells it, or what the action would take, which is asked for as soon as it is opened
          const start = other.page.getByRole("button", { name: "New tenant", exact: true })
          await start.click({ timeout: 5_000 }).catch(() => undefined)
          await other.page
            .getByText("You are signed out")
            .or(other.page.getByLabel("Your operator token"))
            .first()
            .waitFor()
          await mine.page.goto(`${consoleOrigin}/tenants`)
          await settled(mine.page, "Tenants")
        })
        const { entries } = yield* operator.audit.list({ query: { limit: 1 } })
        assert.strictEqual(entries[0]?.route, "/operator/v1/sessions/:session_id/end")
      }).pipe(Effect.scoped)
    )
  })
} else {
  layer(Layer.empty)("the console's screens", (it) => {
    it.effect.skip(consoleSkipped ?? "", () => Effect.void)
  })
}
