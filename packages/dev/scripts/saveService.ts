/**
 * Saves what this version of the service leaves behind, for the test that later versions go on with it:
 *
 *     node packages/cli/scripts/saveService.ts
 *
 * It plays the demo, then stops the chains and begins what must be finished later, and writes databases, chains and what
 * partners saw into `test/upgrade`. Run it at the version that is to be gone on from, and commit what it writes.
 */
import { createClient } from "@bursar/client"
import { EmbeddedPostgres } from "@bursar/simulator-postgres"
import { migrate } from "@bursar/postgres"
import { Effect, Redacted, Schema } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { Handshake } from "@bursar/cli/config/Handshake"
import { DevSecrets } from "../src/secrets.ts"
import { externalWalletOn } from "../src/demo/externalWallets.ts"
import { start } from "../test/support/bursarDev.ts"
import { writeFiatHistory } from "../../cli/test/support/fiatHistory.ts"
import { figuresOf } from "../test/support/figures.ts"
import { writeHistory } from "../../cli/test/support/history.ts"
import { save, savedWebhookUrl, type Seen } from "../test/support/savedService.ts"
import { tempDir } from "../../cli/test/support/tempDir.ts"
import { operatorOn } from "../../cli/test/support/tenant.ts"
import { until } from "../../cli/test/support/until.ts"
import { environmentOf, serve } from "../../cli/test/support/world.ts"
import { dumpDatabase } from "./dumpDatabase.ts"

const startDev = Effect.fnUntraced(function* (dataDir: string, ...flags: ReadonlyArray<string>) {
  const dev = yield* start(["--port", "0", "--operator-port", "0", "--data-dir", dataDir, ...flags])
  yield* dev.prints(/^Bursar is running/u)
  const text = yield* Effect.promise(() => readFile(join(dataDir, "dev.json"), "utf8"))
  return { ...dev, handshake: yield* Schema.decodeEffect(Schema.fromJsonString(Handshake))(text) }
})

const post = (url: string, body: unknown) =>
  Effect.promise(async () => {
    const headers = { "content-type": "application/json" }
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${url}: ${await response.text()}`)
  })

const payouts = [
  ["ethereum", "USDT_ETH", "7.5"],
  ["bsc", "USDT_BSC", "7.5"],
  ["base", "USDC_BASE", "7.5"],
  ["bitcoin", "BTC", "0.01"],
  ["tron", "USDT_TRON", "7.5"],
  ["stellar", "XLM", "7.5"]
] as const

const arriving = [
  ["ethereum", "USDT_ETH", "40"],
  ["bitcoin", "BTC", "0.02"],
  ["tron", "USDT_TRON", "40"]
] as const

/** Of the payouts, so many can be sent; others wait for a block that is younger. */
const payoutsSent = 3

/** Begins what later versions must finish, on chains that stand still. */
const beginAll = Effect.fnUntraced(function* ({ handshake }: Effect.Success<ReturnType<typeof startDev>>) {
  const { networks, operator_token, operator_url, partner_url, sandbox } = handshake
  const [tenant] = handshake.tenants
  if (tenant === undefined) throw new Error("there is no tenant")
  const signingKey: JsonWebKey = tenant.signing.private_jwk
  const client = createClient({ baseUrl: partner_url, apiKey: tenant.keys["all"] ?? "", signingKey })
  const operator = yield* operatorOn(operator_url, operator_token)
  const endpoint = { params: { tenant_id: tenant.id }, payload: { url: savedWebhookUrl } }
  const { secret } = yield* operator.webhooks.create(endpoint)
  const requests: Array<Seen["requests"][number]> = []
  const asked = Effect.fnUntraced(function* <A extends { readonly id: string }>(
    call: Seen["requests"][number]["call"],
    body: unknown,
    send: (idempotencyKey: string) => Promise<A>
  ) {
    const key = `saved-${call}-${requests.length}`
    const answer = yield* Effect.promise(() => send(key))
    requests.push({ call, key, body, answer })
    return answer.id
  })
  const pay = (network: (typeof payouts)[number][0], currency: string, amount: string) => {
    const body = {
      network,
      amount: { amount, currency },
      destination: { address: externalWalletOn(network) },
      reference: `saved-${requests.length}`
    }
    return asked("payout", body, (idempotencyKey) => client.chainPayouts.create(body, { idempotencyKey }))
  }
  const withdraw = Effect.fnUntraced(function* (outcome: string) {
    yield* post(`${sandbox.control_url}/custodian/next`, { operation: "withdrawal", outcome })
    const body = { amount: { amount: "20", currency: "USDC_BASE" } }
    return yield* asked("withdrawal", body, (idempotencyKey) => client.withdrawals.create(body, { idempotencyKey }))
  })

  const ending = yield* Effect.forEach(payouts, ([network, currency, amount]) => pay(network, currency, amount))
  // above what goes without a second pair of eyes
  const reviewed = yield* pay("bitcoin", "BTC", "3")
  const settled = [yield* withdraw("settle"), yield* withdraw("fail")]
  const lost = yield* withdraw("never")
  const swap = { amount: { amount: "15", currency: "USDT_TRON" }, to_currency: "BTC" }
  const swapped = yield* asked("swap", swap, (idempotencyKey) => client.conversions.swap(swap, { idempotencyKey }))
  yield* Effect.promise(() => client.conversions.quote({ product: "SWAP", ...swap }))
  yield* post(`${sandbox.control_url}/fiat/next`, { outcome: "in_review" })
  const transfer = {
    kind: "BANK_TRANSFER",
    amount: { amount: "30", currency: "EUR" },
    beneficiary_name: "Rui Costa",
    beneficiary_account: "PT50000201231234567890154",
    beneficiary_country: "PT",
    rail: "SEPA"
  } as const
  const transferInReview = yield* asked("transfer", transfer, (idempotencyKey) =>
    client.transfers.create(transfer, { idempotencyKey })
  )
  for (const [network, asset, amount] of arriving) {
    const issued = yield* Effect.promise(() => client.depositAddresses.issue({ network, reference: "saved", count: 1 }))
    const [{ address } = { address: "" }] = issued.addresses
    yield* post(`${networks[network].control_url}/fund`, { address, asset, amount })
  }

  const operations = Effect.map(
    Effect.promise(() => client.register.list({ limit: 200 })),
    ({ entries }): Readonly<Record<string, string>> => Object.fromEntries(entries.map(({ id, status }) => [id, status]))
  )
  yield* until(
    "what can end on standing chains",
    operations,
    (statuses) =>
      [...settled, swapped].every((id) => ["SETTLED", "FAILED"].includes(statuses[id] ?? "")) &&
      ending.filter((id) => statuses[id] === "SENT").length >= payoutsSent &&
      statuses[transferInReview] === "IN_REVIEW"
  )
  const detected = yield* until(
    "the detection of deposits",
    Effect.promise(() => client.deposits.list({ limit: 500 })),
    ({ deposits }) => deposits.filter(({ status }) => status === "DETECTED").length >= 2
  )
  return {
    key: tenant.keys["all"] ?? "",
    requests,
    ending,
    staying: [reviewed, lost],
    transferInReview,
    deposits: detected.deposits.filter(({ status }) => status === "DETECTED").map(({ id }) => id),
    webhookSecret: secret
  }
})

const saveService = Effect.gen(function* () {
  const dataDir = join(yield* tempDir, ".bursar")
  const demo = yield* startDev(dataDir, "--demo")
  yield* demo.prints(/^Everything goes on running/u)
  yield* demo.kill("SIGTERM")
  const standing = yield* startDev(dataDir, "--manual-mining")
  const { key, ...begun } = yield* beginAll(standing)
  yield* standing.kill("SIGTERM")

  const text = yield* Effect.promise(() => readFile(join(dataDir, "secrets.json"), "utf8"))
  const secrets = yield* Schema.decodeEffect(Schema.fromJsonString(DevSecrets))(text)
  const postgres = yield* EmbeddedPostgres.make({ dataDir: join(dataDir, "postgres"), persistent: true })
  const environment = (database: string) => ({
    ...environmentOf(postgres.urlOf(database)),
    KEY_PEPPER: secrets.keyPepper,
    OPERATOR_TOKEN: secrets.operatorToken,
    VAULT_MASTER_KEY: secrets.masterKey,
    SECRETS_KEY: secrets.secretsKey ?? secrets.masterKey
  })
  const history = yield* postgres.createDatabase("history")
  yield* migrate({ url: Redacted.make(history) })
  yield* Effect.andThen(writeHistory(history), writeFiatHistory(history))
  const overHistory = yield* serve(environment("history"))
  const operator = yield* operatorOn(overHistory.operatorUrl, secrets.operatorToken)
  const { tenants } = yield* operator.tenants.list()
  const keys = yield* Effect.forEach(tenants, ({ id }) =>
    Effect.gen(function* () {
      const params = { tenant_id: id }
      yield* operator.tenants.changeSettings({ params, payload: { ip_allowlist: null } })
      return yield* operator.keys.create({
        params,
        payload: { label: "saved", scopes: ["register:read", "events:read", "deposits:read"] }
      })
    })
  )
  const overService = yield* serve(environment("bursar"))
  const figures = (partnerUrl: string, apiKeys: ReadonlyArray<string>) =>
    Effect.forEach(apiKeys, (one) => Effect.map(figuresOf(partnerUrl, one), (answers) => ({ key: one, answers })))
  const seen = {
    ...begun,
    figures: {
      service: yield* figures(overService.partnerUrl, [key]),
      history: yield* figures(
        overHistory.partnerUrl,
        keys.map((one) => one.key)
      )
    }
  }
  yield* Effect.all([overService.kill("SIGTERM"), overHistory.kill("SIGTERM")])
  const dump = (database: string) =>
    Effect.flatMap(postgres.createDatabase(`${database}_schema`), (empty) =>
      dumpDatabase(postgres.urlOf(database), empty)
    )
  const sql = { service: yield* dump("bursar"), history: yield* dump("history") }
  yield* Effect.promise(() => save(dataDir, sql, seen))
})

await Effect.runPromise(Effect.scoped(saveService))
